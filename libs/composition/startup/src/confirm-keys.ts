import { setTimeout as pause } from 'node:timers/promises';
import { type IssuedKeys, readKeyEvents } from '#features/access';
import type { EventStore, Position } from '#ports/event-store';

const EVERY_MS = 5_000;

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
  for (;;) {
    await pause(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      after = await readKeyEvents(store, keys, after);
      keys.confirm();
    } catch {
      // The outage is logged where engines are watched.
    }
  }
}
