import { MAX_DOCUMENT_TAGS } from '#features/documents';
import { IsContainerTag, IsContainerTags, IsMetadata, IsText, namedTags, Required, ShownBy } from '#platform/input';
import type { Metadata, Principal } from '#platform/kernel';
import type { Attempt } from '../attempt.ts';
import { IsMessages, messagesOf } from './messages.ts';
import { SaveConversation } from './save-conversation.command.ts';

/** Messages of a conversation. */
@ShownBy({
  'A whole conversation': {
    conversationId: 'chat-42',
    messages: [
      { role: 'user', content: 'When is the kick-off of Atlas?' },
      { role: 'assistant', content: 'On 14 March in Oslo. Mara brings the prototype.' },
    ],
    containerTag: 'support',
    metadata: { kind: 'chat', resolved: true },
  },
  'The next message': {
    conversationId: 'chat-42',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Thank you. Who books the room?' }] }],
  },
})
export class SaveConversationInput {
  /** The customId of the document that holds the conversation, one for each set of tags. */
  @Required()
  @IsText({ min: 1, max: 255, wellFormed: true })
  conversationId!: string;

  /** The whole conversation, or only its new messages. */
  @Required()
  @IsMessages()
  messages!: readonly unknown[];

  /** The group of the document. Without any tag, a new document is in `sm_project_default`, and an existing one stays where it is. */
  @IsContainerTag()
  containerTag?: string;

  /** One or several groups, joined with containerTag. */
  @IsContainerTags(MAX_DOCUMENT_TAGS)
  containerTags?: string | string[];

  /** Flat key/value pairs for filters. Values are strings, numbers or booleans. At most 64 KiB as JSON. */
  @IsMetadata()
  metadata?: Metadata;

  /** Is set on those of the named tags that have none, or of the tags of a new document. No effect on the extraction yet. */
  @IsText({ max: 1500 })
  entityContext?: string;
}

export async function saveConversation(
  principal: Principal,
  body: SaveConversationInput,
  attempt: Attempt,
): Promise<SaveConversation> {
  const { messages, pictures } = await messagesOf(body.messages);
  const conversation = {
    conversationId: body.conversationId,
    messages,
    tags: namedTags(body),
    metadata: body.metadata ?? null,
  };
  return new SaveConversation(principal, conversation, attempt, pictures);
}
