import { Query } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { Tokenizer } from '#platform/tokens';
import type { Profile } from '../get-profile/get-profile.query.ts';

export interface ContextMemory {
  readonly id: string;
  /** The memory on one line, as the text of the context has it. */
  readonly text: string;
  /** ISO 8601 date or time: that of the memory or its document, else when it was added. */
  readonly date: string;
  /** Of the question and the memory, 0–1. */
  readonly similarity: number;
  /** Title of the document, else its customId or id. Absent: the memory was recorded directly. */
  readonly source?: string;
}

/** What is known, as a text for a prompt. */
export interface Context {
  /** Empty if nothing is known. */
  readonly text: string;
  /** Of the text, by the tokenizer; never more than were asked for. */
  readonly tokens: number;
  readonly tokenizer: Tokenizer;
  /** Those of the text that answer the question, in its order. */
  readonly memories: readonly ContextMemory[];
  /** What the text has of it. Null: not asked for. */
  readonly profile: Profile | null;
}

/** A text for a prompt: profile and the best memories for a question. May throw a `TooManyChangedError`. */
export class GetContext extends Query<Context> {
  readonly principal: Principal;
  /** Those that the request names. Empty: the default tag, or of a key with limited tags all of these. */
  readonly tags: readonly string[];
  readonly options: {
    /** `*` asks for the newest memories. Null: profile and recent activity alone. */
    readonly question: string | null;
    readonly maxTokens: number;
    readonly tokenizer: Tokenizer;
    /** Lasting facts. */
    readonly includeProfile: boolean;
    /** Recent activity. */
    readonly includeRecent: boolean;
    /** Lowest similarity of memories. */
    readonly threshold: number;
    /** What was known at this time: milliseconds since the epoch. Null: what is known now. */
    readonly asOf: number | null;
    /** Memories that are looked for at the most. Absent: as many as the text may hold. */
    readonly mostMemories?: number;
    /** CustomId of a document whose memories do not answer the question. Absent: none. */
    readonly exceptCustomId?: string | undefined;
  };

  constructor(principal: Principal, tags: readonly string[], options: GetContext['options']) {
    super();
    this.principal = principal;
    this.tags = tags;
    this.options = options;
  }
}
