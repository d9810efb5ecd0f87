import { Command } from '@nestjs/cqrs';
import type { KnownMessages, Message } from '#features/documents';
import type { AcceptedContent } from '#features/documents/requests';
import type { Metadata, Principal, Result } from '#platform/kernel';
import type { AddRefusal } from '../add-document/add-document.command.ts';
import type { Attempt } from '../attempt.ts';

export interface SentConversation {
  /** The customId of its document. */
  readonly conversationId: string;
  /** At least one. */
  readonly messages: readonly Message[];
  /** Distinct, in order. Empty: the request names none; an existing document keeps what it has. */
  readonly tags: readonly string[];
  /** Null: none given; an existing document keeps what it has. */
  readonly metadata: Metadata | null;
  /** What the messages follow. Absent: they are compared with the stored ones. */
  readonly known?: KnownMessages;
}

export type SaveRefusal = Exclude<AddRefusal, 'empty_content'>;

/** Stores the messages of a conversation as the transcript of one document, and queues what is new (contract §4.7). */
export class SaveConversation extends Command<Result<AcceptedContent, SaveRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly conversation: SentConversation,
    readonly attempt: Attempt,
    /** Pictures that were sent inside their addresses: the whole address by that in the messages. */
    readonly pictures: ReadonlyMap<string, string>,
  ) {
    super();
  }
}
