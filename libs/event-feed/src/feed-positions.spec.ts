import { databaseSuite } from '../../../test/support/eventstoredb/database-suite.ts';
import { numbered } from '../../event-store/src/testing.ts';
import { LogFeed } from './log-feed.ts';

const suite = databaseSuite();

test('only the position of an event is accepted, not one within an event or beyond the end of the log', async () => {
  await suite.store.append(suite.stream, numbered(2), { expected: 'no-stream' });
  const feed = new LogFeed(suite.store);
  const head = Number(await suite.store.head());
  expect(await feed.positionOf(String(head))).toBe(String(head));
  for (const position of [head - 1, head + 1, head + 1_000_000]) {
    expect(await feed.positionOf(String(position))).toBeNull();
  }
});
