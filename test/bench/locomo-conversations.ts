import type { Mneme } from '../support/mneme.ts';
import type { Conversation } from './locomo-data.ts';
import { countDone, drained } from './support/documents.ts';

/** The tuning set. The other five conversations of the file are for verification. */
export const TUNING = ['conv-26', 'conv-30', 'conv-41', 'conv-42', 'conv-43'];

/** Adds one document per session with its date, in one container per conversation, and waits until everything is found. */
export async function addConversations(
  mneme: Mneme,
  conversations: readonly Conversation[],
  { dated = true } = {},
): Promise<void> {
  const before = await countDone(mneme);
  const documents = conversations.flatMap(({ name, sessions }) => sessions.map((session) => ({ name, session })));
  for (const { name, session } of documents) {
    const content = session.turns.map(({ line }) => line).join('\n');
    await mneme.add(content, { containerTag: name, ...(dated && { documentDate: session.date }) });
  }
  await drained(mneme, before + documents.length);
}
