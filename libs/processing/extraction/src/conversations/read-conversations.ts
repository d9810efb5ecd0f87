import type { Json } from '#platform/kernel';
import { listAt } from '../json-values.ts';
import type { Conversation } from './conversation.ts';
import { CONVERSATION_FORMATS } from './formats.ts';

/** Returns the conversations of a file, or of most items of a list in it. Null: it holds something else. */
export async function readConversations(value: Json): Promise<readonly Conversation[] | null> {
  const found = await readOne(value);
  if (found !== null) return found;
  const items = Array.isArray(value) ? value : listAt(value, 'conversations');
  const conversations: Conversation[] = [];
  let count = 0;
  for (const [i, item] of items.entries()) {
    const inItem = await readOne(item);
    if (inItem === null) {
      if ((i + 1 - count) * 2 > items.length) return null;
      continue;
    }
    count += 1;
    for (const conversation of inItem) conversations.push(conversation);
  }
  return count === 0 ? null : conversations;
}

async function readOne(value: Json): Promise<readonly Conversation[] | null> {
  if (typeof value !== 'object' || value === null) return null;
  for (const format of CONVERSATION_FORMATS) {
    const found = await format.read(value);
    if (found?.some(({ turns }) => turns.length > 0)) return found;
  }
  return null;
}
