import { type EventStore, type Position, readPages } from '#ports/event-store';
import { KEY_EVENTS } from './key.ts';
import type { Members } from './members.ts';
import { ORGANIZATION_EVENTS } from './organization.ts';

const PAGE = 1_000;

/** Of what happens to keys and their organizations. Claims of names have the type of the founding claim, which says nothing. */
export const KEY_TYPES: readonly string[] = [...Object.keys(ORGANIZATION_EVENTS), ...Object.keys(KEY_EVENTS)].filter(
  (type) => type !== 'NameClaimed',
);

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
