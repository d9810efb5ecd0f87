import { setTimeout as pause } from 'node:timers/promises';
import type { MemoryKeyRing } from '#access';
import type { RecentDeletions } from '#application';
import { parseDocumentStream } from '#documents';
import type { EventStore, Position } from '#event-store';
import { issuedKey } from './owner-key.ts';

export interface FollowOthersOptions {
  readonly store: EventStore;
  readonly keys: MemoryKeyRing;
  readonly deletions: RecentDeletions;
  readonly after: Position | null;
  readonly logger: { error(message: string): void };
  readonly signal: AbortSignal;
}

const TYPES = ['KeyIssued', 'DocumentDeleted'];
const PAUSE_MS = 1_000;

/**
 * What other processes on the same log do that this one has to know at once: keys that were issued, and documents that
 * were deleted, which are hidden here too until the views have caught up. Ends with the signal, and with nothing else.
 */
export async function followOthers(options: FollowOthersOptions): Promise<void> {
  const { store, keys, deletions, logger, signal } = options;
  let { after } = options;
  while (!signal.aborted) {
    try {
      for await (const { events, position } of store.subscribe({ after, filter: { types: TYPES }, signal })) {
        for (const event of events) {
          const name = parseDocumentStream(event.stream);
          const key = event.envelope.type === 'KeyIssued' ? issuedKey(event) : null;
          if (name !== null) void deletions.add(name.id, event.position, 0);
          if (key !== null) keys.add(key);
        }
        after = position;
      }
    } catch (error) {
      if (signal.aborted) return;
      logger.error(`the log is followed anew: ${String(error)}`);
      await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
