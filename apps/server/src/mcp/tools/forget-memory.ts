import { ForgetMemory } from '#features/memories/use-cases';
import { IsContainerTag, IsText, invalid } from '#platform/input';
import { valueOrThrow } from '../../http/errors/refusals.ts';
import { namedTag, writtenTag } from '../caller.ts';
import { FLAG, objectOf, TEXT } from '../schema.ts';
import { tool } from '../tool.ts';
import { SPACE } from './about.ts';

class Arguments {
  @IsText({ min: 1, max: 255 })
  id?: string;

  @IsText({ min: 1, max: 10_000 })
  text?: string;

  @IsContainerTag()
  containerTag?: string;

  @IsText({ max: 1_000 })
  reason?: string;
}

export const forgetMemory = tool<Arguments>({
  name: 'forget_memory',
  title: 'Forget a memory',
  description:
    'Forgets one memory with all its versions, by its id or its exact text. Give one of both. Use it when the user says that ' +
    'something is wrong or must not be remembered.',
  permission: 'write',
  countedAs: 'delete',
  input: Arguments,
  about: {
    id: 'Id of the memory, from search_memory or listMemories.',
    text: 'Exact text of the memory.',
    containerTag: SPACE,
    reason: 'Why it is forgotten.',
  },
  output: objectOf({ id: TEXT, forgotten: FLAG }),
  async run({ commands }, caller, { id, text, containerTag, reason = null }) {
    if ((id === undefined) === (text === undefined))
      throw invalid('id', 'one of id and text is required, and not both');
    // An id names one memory, whichever its tag.
    const tag = (text === undefined ? namedTag(caller, containerTag) : writtenTag(caller, containerTag)) ?? null;
    const name = text === undefined ? { id: id as string } : { text };
    const forgotten = valueOrThrow(await commands.execute(new ForgetMemory(caller.principal, tag, name, reason)));
    return { text: 'Forgotten.', structured: { id: forgotten, forgotten: true } };
  },
});
