import type { Context } from '#features/search/use-cases';
import type { Count, Score } from '../openapi/scalars.ts';

/** The answer of the context (contract §4.14). The classes are types only; none is instantiated. */

/** A memory that answers the question. */
export class RememberedStatement {
  /** Id of the memory. */
  readonly id!: string;
  /** The memory on one line, as the text of the context has it. */
  readonly text!: string;
  /** Date or time of the memory or its document, else when it was added. */
  readonly date!: string;
  /** Similarity of the question and the memory. */
  readonly similarity!: Score;
  /** Title of its document, else its customId or id. Absent if the memory was recorded directly. */
  readonly source?: string;
}

/** What the text has of the profile. */
export class ContextProfile {
  /** Lasting facts, newest first. Empty without `includeProfile`. */
  readonly static!: readonly string[];
  /** Recent activity, newest first. Empty without `includeRecent`. */
  readonly dynamic!: readonly string[];
}

/** What is known, for a prompt. */
export class ContextAnswer {
  /** The text. Empty if nothing is known. */
  readonly text!: string;
  /** Tokens of the text, at most `maxTokens`. */
  readonly tokens!: Count;
  /** By what they are counted. */
  readonly tokenizer!: 'o200k' | 'estimate';
  /** The memories of the text that answer the question, in its order. None of them is in `profile`. */
  readonly memories!: readonly RememberedStatement[];
  /** Absent without `includeProfile` and `includeRecent`. */
  readonly profile?: ContextProfile;
}

export const contextAnswer = ({ text, tokens, tokenizer, memories, profile }: Context): ContextAnswer => ({
  ...{ text, tokens, tokenizer, memories },
  ...(profile !== null && { profile }),
});
