import { Query } from '@nestjs/cqrs';
import type { Message } from '#features/documents';
import type { Principal } from '#platform/kernel';

export interface StoredConversation {
  /** Of its document. */
  readonly id: string;
  /** In order. Empty: the document with the customId is no conversation yet. */
  readonly messages: readonly Message[];
}

/** The messages of a conversation with a tag; correct right after a write. Null: there is none that the principal may read. */
export class GetConversation extends Query<StoredConversation | null> {
  constructor(
    readonly principal: Principal,
    /** The customId of its document. */
    readonly conversationId: string,
    /** The only one of its document. */
    readonly tag: string,
  ) {
    super();
  }
}
