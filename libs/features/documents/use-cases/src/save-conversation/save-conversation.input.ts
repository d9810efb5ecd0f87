import { IsMessages, messagesOf } from '#features/documents/requests';
import { IsText, namedTags, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import type { Attempt } from '../attempt.ts';
import { WrittenInput } from '../written.input.ts';
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
export class SaveConversationInput extends WrittenInput {
  /** The customId of the document that holds the conversation, one for each set of tags. */
  @Required()
  @IsText({ min: 1, max: 255, wellFormed: true })
  conversationId!: string;

  /** The whole conversation, or only its new messages. */
  @Required()
  @IsMessages()
  messages!: readonly unknown[];
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
