import { setTimeout as pause } from 'node:timers/promises';
import type { IssuedKeys } from '#features/access';
import { type EventStore, type Position, readPages } from '#ports/event-store';

const EVERY_MS = 5_000;
const PAGE = 1_000;

/**
 * Reads every few seconds what other processes did to keys, beside the subscription, whose silence says nothing. While the log
 * cannot be read, the keys soon are not current any more. Ends with the signal only.
 */
export async function confirmKeys(
  store: Pick<EventStore, 'readAll'>,
  keys: IssuedKeys,
  { after: start, signal }: { readonly after: Position | null; readonly signal: AbortSignal },
): Promise<void> {
  let after = start;
  keys.confirm();
  while (!signal.aborted) {
    await pause(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    try {
      const range = { after, limit: PAGE, filter: { categories: ['key'] } };
      for await (const { events, position } of readPages(store, range)) {
        for (const event of events) keys.apply(event);
        after = position;
      }
      keys.confirm();
    } catch {
      // The outage is logged where engines are watched.
    }
  }
}
