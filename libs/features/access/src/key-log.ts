import { type EventStore, type Position, readPages } from '#ports/event-store';
import type { IssuedKeys } from './api-keys.ts';

const PAGE = 1_000;

/** Gives keys what happened to them after a position of the log. @returns the position up to which the log was read */
export async function readKeyEvents(
  store: Pick<EventStore, 'readAll'>,
  keys: IssuedKeys,
  after: Position | null,
): Promise<Position | null> {
  let read = after;
  for await (const { events, position } of readPages(store, { after, limit: PAGE, filter: { categories: ['key'] } })) {
    for (const event of events) keys.apply(event);
    read = position;
  }
  return read;
}
