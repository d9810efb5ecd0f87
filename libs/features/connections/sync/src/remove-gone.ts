import type { Connection, SyncedItem } from '#features/connections';
import { each } from './each.ts';
import type { KnownItems } from './known-items.ts';
import type { Pauses } from './pauses.ts';

const REMOVED_AT_ONCE = 8;
/** Items from which on it is unlikely that more than half of them were meant to be removed. */
const MANY = 20;

export interface GoneItems {
  readonly known: KnownItems;
  readonly pauses: Pauses;
  readonly isGone: (id: string) => boolean;
  readonly remove: (item: SyncedItem) => Promise<void>;
}

/** Removes items that are gone. @returns how many are left because they are too many to be removed without a confirmation */
export async function removeGone(
  connection: Connection,
  { known, pauses, isGone, remove }: GoneItems,
): Promise<number> {
  const total = await pauses.attempt(() => known.count(connection));
  if (!connection.isConfirmed && total >= MANY) {
    let gone = 0;
    for await (const items of known.all(connection)) gone += items.filter(({ id }) => isGone(id)).length;
    if (2 * gone > total) return gone;
  }
  for await (const items of known.all(connection)) {
    const left = items.filter(({ id }) => isGone(id));
    await each(left, REMOVED_AT_ONCE, remove);
  }
  return 0;
}
