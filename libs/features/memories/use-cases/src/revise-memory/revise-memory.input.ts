import { IsContainerTag, IsText, invalid, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { nameIn } from '../memory-name.input.ts';
import { MAX_MEMORY, MemoryDetails, sentDetails } from '../record-memories/record-memories.input.ts';
import { ReviseMemory } from './revise-memory.command.ts';

/** A memory, and what to change. It is named by `id`, or by its exact text in `content`. */
@ShownBy({
  'A correction': { containerTag: 'user-mara', content: 'Mara lives in Oslo.', newContent: 'Mara lives in Bergen.' },
})
export class ReviseMemoryInput extends MemoryDetails {
  /** The tag of the memory. May be left out with `id`. */
  @IsContainerTag()
  containerTag?: string;

  /** Of any version of the memory. */
  @IsText({ min: 1, max: 255 })
  id?: string;

  /** Exact present text of the memory. */
  @IsText({ min: 1, max: MAX_MEMORY })
  content?: string;

  /** Text of the new version. */
  @Required()
  @IsText({ min: 1, max: MAX_MEMORY })
  newContent!: string;
}

/** @throws InputError if the memory is not named */
export function reviseMemory(principal: Principal, body: ReviseMemoryInput): ReviseMemory {
  const { containerTag: tag = null } = body;
  if (tag === null && body.id === undefined) throw invalid('containerTag', 'containerTag is required');
  if (body.newContent.trim() === '') throw invalid('newContent', 'newContent must not be blank');
  const change = { text: body.newContent, ...sentDetails(body) };
  return new ReviseMemory(principal, tag, nameIn(body), change);
}
