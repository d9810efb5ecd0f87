import { databaseSuite } from '../../../../test/support/eventstoredb/database-suite.ts';
import { numbered } from '../../event-store/src/testing.ts';
import { LogFeed } from './log-feed.ts';

const suite = databaseSuite();

test('only the position of an event is accepted, not one within an event, of another one, or beyond the end', async () => {
  await suite.store.append(suite.stream, numbered(2), { expected: 'no-stream' });
  const feed = new LogFeed(suite.store);
  const head = (await suite.store.head()) as string;
  expect(await feed.positionOf(head)).toBe(head);
  const [number, id] = [Number.parseInt(head, 10), head.slice(head.indexOf('-'))];
  for (const position of [`${number - 1}${id}`, `${number + 1_000_000}${id}`, `${number}-other`, `${number}`]) {
    expect(await feed.positionOf(position)).toBeNull();
  }
});
