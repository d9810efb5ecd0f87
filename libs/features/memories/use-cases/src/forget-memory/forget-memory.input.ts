import { IsContainerTag, IsText, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { nameIn } from '../memory-name.input.ts';
import { MAX_MEMORY } from '../record-memories/record-memories.input.ts';
import { ForgetMemory } from './forget-memory.command.ts';

/** The memory to forget, or the passage whose memories to forget. It is named by `id`, or by its exact text in `content`. */
@ShownBy({
  'By its text': { containerTag: 'user-mara', content: 'Mara lives in Bergen.', reason: 'She has moved.' },
})
export class ForgetMemoryInput {
  /** The tag of the memory. */
  @Required()
  @IsContainerTag()
  containerTag!: string;

  /** Of any version of the memory, of a passage, or of a document that has one passage. */
  @IsText({ min: 1, max: 255 })
  id?: string;

  /** Exact present text of the memory or passage, or of a document that has one passage. */
  @IsText({ min: 1, max: MAX_MEMORY })
  content?: string;

  /** Why it is forgotten. */
  @IsText({ max: 1_000 })
  reason?: string;
}

/** @throws InputError if the memory is not named */
export const forgetMemory = (principal: Principal, body: ForgetMemoryInput): ForgetMemory =>
  new ForgetMemory(principal, body.containerTag, nameIn(body), body.reason ?? null);
