import { type Connection, ITEM_SLOTS, itemSlot, type SyncTrigger } from '#features/connections';
import type { SyncOptions } from './options.ts';

/** When a connection is to be synced or ended next, the same in every process. Milliseconds since the epoch; now: 0. */
export function dueAt(
  connection: Connection,
  { connectors, isActive }: Pick<SyncOptions, 'connectors' | 'isActive'>,
): number {
  if (connection.status === 'ending') return 0;
  const connector = connectors.get(connection.provider);
  const isReadable = connector?.missing === null && (connector.isChosen?.(connection.setup) ?? true);
  if (connector === undefined || !isReadable || !isActive(connection.organization)) return Number.POSITIVE_INFINITY;
  const [last] = connection.ended;
  if (connection.running !== null || connection.requested !== null || last === undefined) return 0;
  // Between 90 % and 110 % of the interval, so that connections that were made together do not stay together.
  const share = 0.9 + (0.2 * itemSlot(`${connection.id} ${connection.syncs}`)) / ITEM_SLOTS;
  return last.endedAt + connector.interval * share;
}

export const triggerOf = ({ running, requested }: Connection): SyncTrigger => running?.trigger ?? requested ?? 'cron';
