import type { Status } from '../documents/status-words.ts';

export class SavedConversation {
  /** Of the document that holds the conversation. */
  readonly id!: string;
  readonly conversationId!: string;
  readonly status!: Status;
}
