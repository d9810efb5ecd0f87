import type { Status } from '../documents/status-words.ts';

/** The document that holds a conversation. */
export class SavedConversation {
  /** Of the document that holds the conversation. */
  readonly id!: string;
  /** As in the request. */
  readonly conversationId!: string;
  /** Status of the document. */
  readonly status!: Status;
}
