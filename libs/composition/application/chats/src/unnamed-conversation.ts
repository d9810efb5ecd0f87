import type { StoredConversation } from '#features/documents/use-cases';
import { hashOfTurn, type Turn } from '#features/proxy/formats';
import { contentHash, newId } from '#platform/kernel';
import { beginsWith } from './stored-conversation.ts';

interface UnnamedCall {
  /** The key of the caller. An id that followed from what was said alone could be guessed from the log. */
  readonly secret: string;
  readonly tag: string;
  readonly sent: readonly Turn[];
}

export interface NamedConversation {
  readonly conversationId: string;
  /** Null: there is none yet. */
  readonly stored: StoredConversation | null;
}

/**
 * Finds the conversation of a call that names none: clients that send the whole history each time go on in the same one. Its
 * id follows from the first turn. Where a conversation that began alike has this id, it follows from the first answer, too;
 * a call without any answer then begins a new one.
 */
export async function unnamedConversation(
  { secret, tag, sent }: UnnamedCall,
  find: (conversationId: string) => Promise<StoredConversation | null>,
): Promise<NamedConversation> {
  const hashes = sent.map(hashOfTurn);
  const idOf = (length: number) => `chat-${contentHash(secret, tag, ...hashes.slice(0, length)).slice(0, 32)}`;
  const answered = sent.findIndex(({ role }) => role === 'assistant') + 1;
  const opening = sent.length === 0 ? null : idOf(1);
  const first = opening === null ? null : await find(opening);
  if (
    opening !== null &&
    (answered === 0 ? first === null : first !== null && beginsWith(first, hashes.slice(0, answered)))
  ) {
    return { conversationId: opening, stored: first };
  }
  if (answered === 0) return { conversationId: newId(), stored: null };
  const conversationId = idOf(answered);
  return { conversationId, stored: await find(conversationId) };
}
