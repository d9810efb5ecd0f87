import { type EventStore, type Position, readPages } from '#ports/event-store';
import type { Members } from './members.ts';

const PAGE = 1_000;

/** Gives keys or members what happened to them after a position of the log. @returns the position up to which it was read */
export async function readKeyEvents(
  store: Pick<EventStore, 'readAll'>,
  keys: Pick<Members, 'categories' | 'apply'>,
  after: Position | null,
): Promise<Position | null> {
  let read = after;
  const { categories } = keys;
  for await (const { events, position } of readPages(store, { after, limit: PAGE, filter: { categories } })) {
    for (const event of events) keys.apply(event);
    read = position;
  }
  return read;
}
