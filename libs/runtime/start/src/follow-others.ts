import { setTimeout as pause } from 'node:timers/promises';
import { issuedKey, type MemoryApiKeys } from '#access';
import { parseDocumentStream } from '#documents';
import { type EventStore, type Position, type RecordedEvent, readPages } from '#event-store';
import type { RecentDeletions, ViewsReader } from '#views';

export interface FollowOthersOptions {
  readonly store: EventStore;
  readonly keys: MemoryApiKeys;
  readonly deletions: RecentDeletions;
  readonly after: Position | null;
  readonly logger: { error(message: string): void };
  readonly signal: AbortSignal;
}

const DELETED = 'DocumentDeleted';
const TYPES = ['KeyIssued', DELETED];
const PAUSE_MS = 1_000;
const PAGE = 1_000;

export interface HideDeletedOptions {
  readonly store: EventStore;
  readonly views: Pick<ViewsReader, 'checkpoint'>;
  readonly deletions: RecentDeletions;
}

/**
 * Hides what was deleted before this process started and the views, as it finds them, still hold. Of views that cannot be
 * asked it is not known how far they are: every deletion of the log counts then.
 */
export async function hideDeleted({ store, views, deletions }: HideDeletedOptions): Promise<void> {
  const after = await views.checkpoint().catch(() => undefined);
  // Empty views are filled with what there is.
  if (after === null) return;
  const wanted = { after: after ?? null, limit: PAGE, filter: { types: [DELETED] }, envelopesOnly: true };
  for await (const { events } of readPages(store, wanted)) for (const event of events) hide(event, deletions);
}

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
          const key = event.envelope.type === 'KeyIssued' ? issuedKey(event) : null;
          if (key !== null) keys.add(key);
          hide(event, deletions);
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

function hide({ stream, envelope, position }: RecordedEvent, deletions: RecentDeletions): void {
  const name = envelope.type === DELETED ? parseDocumentStream(stream) : null;
  if (name !== null) deletions.hide(name.id, position);
}
