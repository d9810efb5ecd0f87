import { ReviseMemoryInput, reviseMemory } from '#features/memories/use-cases';
import { IsContainerTag, IsText, Required } from '#platform/input';
import { valueOrThrow } from '../../http/errors/refusals.ts';
import { revisedMemory } from '../../http/memories/memories.responses.ts';
import { namedTag } from '../caller.ts';
import { COUNT, objectOf, TEXT, TEXT_OR_NULL, TIME } from '../schema.ts';
import { tool } from '../tool.ts';
import { SPACE } from './about.ts';

class Arguments {
  @Required()
  @IsText({ min: 1, max: 255 })
  id!: string;

  @Required()
  @IsText({ min: 1, max: 10_000 })
  content!: string;

  @IsContainerTag()
  containerTag?: string;
}

export const updateMemory = tool<Arguments>({
  name: 'update_memory',
  title: 'Correct a memory',
  description: 'Gives a memory a new text, when what it says has changed. The earlier version stays in its history.',
  permission: 'write',
  countedAs: 'update',
  input: Arguments,
  about: {
    id: 'Id of the memory, from search_memory or listMemories.',
    content: 'The new text.',
    containerTag: SPACE,
  },
  output: objectOf({
    ...{ id: TEXT, memory: TEXT, version: COUNT },
    ...{ parentMemoryId: TEXT_OR_NULL, rootMemoryId: TEXT_OR_NULL, createdAt: TIME },
  }),
  async run({ commands }, caller, { id, content, containerTag }) {
    const tag = namedTag(caller, containerTag);
    const input = Object.assign(new ReviseMemoryInput(), {
      ...{ id, newContent: content },
      ...(tag !== undefined && { containerTag: tag }),
    });
    const revised = revisedMemory(valueOrThrow(await commands.execute(reviseMemory(caller.principal, input))));
    const { memory, version, parentMemoryId, rootMemoryId, createdAt } = revised;
    return {
      text: `It is version ${version} now.`,
      structured: { id: revised.id, memory, version, parentMemoryId, rootMemoryId, createdAt },
    };
  },
});
