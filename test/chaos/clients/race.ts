import type { State } from '../model/expected.ts';
import { type Client, describeAnswer, documentPath } from './client.ts';
import { isDeleted, onceHeader } from './writes.ts';

/**
 * Deletes a document, and at the same time adds a text for its customId. The id in the answer to the add shows which came
 * first.
 */
export async function race(client: Client): Promise<void> {
  const { random, report, connection, key } = client.tools;
  const named = client.live.filter(({ customId }) => customId !== null);
  if (named.length === 0) return;
  const old = random.pick(named);
  const next = client.recreate(old);
  const tags = old.possible[0]?.tags ?? [key.tags[0]];
  const state: State = { content: client.textFor(next), tags, metadata: {} };
  const body = { content: state.content, containerTags: state.tags, customId: old.customId };
  const deleting = { method: 'DELETE', path: documentPath(old.id as string) };
  const adding = { method: 'POST', path: '/v3/documents', body, headers: onceHeader() };
  const [deletion, addition] = await Promise.all([connection.send(deleting), connection.send(adding)]);

  if (deletion !== null && isDeleted(deletion)) {
    old.acknowledged(() => null);
    report.count('deletions acknowledged while a text was added for the same customId');
  } else {
    old.unknown(() => null);
    if (deletion !== null) report.violation(describeAnswer(deleting, deletion));
  }
  if (addition?.status !== 200) {
    next.unknown(() => state);
    client.drop(next);
    if (addition !== null) report.violation(describeAnswer(adding, addition));
  } else if (addition.body.id === old.id) {
    // The text was added before the deletion, and was deleted with the document.
    client.drop(next);
  } else {
    next.acknowledged(() => state);
    client.identify(next, addition.body.id);
  }
}
