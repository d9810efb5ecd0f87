import type { MessagesReceived, PicturesRead } from '../events.ts';
import type { Conversation } from '../state.ts';

export function conversationWith(
  conversation: Conversation | null,
  { kept, messages, pictures = 0, sentPictures = [] }: MessagesReceived['payload'],
): Conversation {
  const lists: Conversation['lists'][number][] = [];
  let rest = kept;
  for (const { list, count } of conversation?.lists ?? []) {
    if (rest > 0) lists.push({ list, count: Math.min(count, rest) });
    rest -= count;
  }
  const added = 'inline' in messages ? messages.inline.length : messages.length;
  const known = conversation?.pictures ?? null;
  return {
    lists: [...lists, { list: messages, count: added }],
    lastAdded: added,
    pictures: pictures === 0 ? known : { sent: [...(known?.sent ?? []), ...sentPictures], read: known?.read ?? [] },
  };
}

export function withPicturesRead(conversation: Conversation, { pictures }: PicturesRead['payload']): Conversation {
  const { sent, read } = conversation.pictures ?? { sent: [], read: [] };
  return { ...conversation, pictures: { sent, read: [...read, pictures] } };
}
