import type { Message } from '#features/documents';
import type { StoredConversation } from '#features/documents/use-cases';
import { hashOfTurn, type NewTurns, newTurns, type Turn, type TurnHash } from '#features/proxy/formats';

/** What a message says, as turns of calls are compared with it. Null: it is a picture, a call of a tool, or said by neither side. */
function turnOf({ role, parts }: Message): Turn | null {
  if (role !== 'user' && role !== 'assistant') return null;
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  return text.trim() === '' ? null : { role, text };
}

export const messageOf = ({ role, text }: Turn): Message => ({ role, parts: [{ text }] });

/** What is stored of the conversation of a call, and what of the call is new to it. */
export class ConversationSoFar {
  /** Stored turns that the client has left out, oldest first. */
  readonly history: readonly Turn[];
  /** Turns of the call that are not stored. */
  readonly fresh: readonly Turn[];
  /** How many messages are stored, and how many of them stay. */
  readonly known: { readonly stored: number; readonly kept: number };

  constructor(stored: StoredConversation | null, sent: readonly Turn[]) {
    const messages = stored?.messages ?? [];
    const said = messages.flatMap((message, at) => {
      const turn = turnOf(message);
      return turn === null ? [] : [{ turn, at }];
    });
    const compared: NewTurns = newTurns(
      said.map(({ turn }) => hashOfTurn(turn)),
      sent,
    );
    this.history = said.slice(0, compared.history).map(({ turn }) => turn);
    this.fresh = compared.fresh;
    this.known = { stored: messages.length, kept: said[compared.kept]?.at ?? messages.length };
  }
}

/** Whether a stored conversation begins with turns. */
export const beginsWith = (stored: StoredConversation, hashes: readonly TurnHash[]): boolean => {
  const own = stored.messages.flatMap((message) => turnOf(message) ?? []).slice(0, hashes.length);
  return own.length === hashes.length && own.every((turn, at) => hashOfTurn(turn) === hashes[at]);
};
