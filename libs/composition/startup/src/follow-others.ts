import { setTimeout as pause } from 'node:timers/promises';
import { type IssuedKeys, KEY_TYPES } from '#features/access';
import { LOCK_EVENTS, type TagLocks } from '#features/container-tags';
import { parseDocumentStream } from '#features/documents';
import { QUOTA_EVENTS } from '#features/quotas';
import { SESSION_EVENTS } from '#features/sessions';
import { MEMBER_EVENTS } from '#features/team';
import { type EventStore, type Position, type RecordedEvent, readPages } from '#ports/event-store';
import type { RecentDeletions, ViewsReader } from '#read-side/views';

export interface FollowOthersOptions {
  readonly store: EventStore;
  readonly keys: IssuedKeys;
  readonly deletions: RecentDeletions;
  readonly tagLocks: TagLocks;
  readonly after: Position | null;
  readonly logger: { error(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
}

const DELETED = 'DocumentDeleted';
const FOLLOWED = { ...MEMBER_EVENTS, ...SESSION_EVENTS, ...QUOTA_EVENTS };
const TYPES = [...KEY_TYPES, ...Object.keys(FOLLOWED), DELETED, ...LOCK_EVENTS];
const PAUSE_MS = 1_000;
const PAGE = 1_000;

export interface HideDeletedOptions {
  readonly store: EventStore;
  readonly views: Pick<ViewsReader, 'checkpoint'>;
  readonly deletions: RecentDeletions;
}

/**
 * Hides documents that were deleted before this process started and that the views still hold. If the checkpoint is
 * unreadable, hides every deleted document.
 */
export async function hideDeleted({ store, views, deletions }: HideDeletedOptions): Promise<void> {
  const after = await views.checkpoint().catch(() => undefined);
  // Empty views will not contain deleted documents.
  if (after === null) return;
  const wanted = { after: after ?? null, limit: PAGE, filter: { types: [DELETED] }, envelopesOnly: true };
  for await (const { events } of readPages(store, wanted)) for (const event of events) hide(event, deletions);
}

/** Locks the tags of merges that were running when this process started. */
export async function lockMergingTags(store: EventStore, tagLocks: TagLocks): Promise<void> {
  const wanted = { after: null, limit: PAGE, filter: { types: LOCK_EVENTS }, envelopesOnly: true };
  for await (const { events } of readPages(store, wanted))
    for (const { envelope } of events) tagLocks.observe(envelope);
}

/**
 * Follows what other processes on the same log do: takes over what happens to keys, members, sessions, organizations and quotas,
 * locks tags that they merge, and hides documents that they delete until the views have caught up. Ends with the signal only.
 */
export async function followOthers(options: FollowOthersOptions): Promise<void> {
  const { store, keys, deletions, tagLocks, logger, signal } = options;
  let { after } = options;
  while (!signal.aborted) {
    try {
      for await (const { events, position } of store.subscribe({ after, filter: { types: TYPES }, signal })) {
        for (const event of events) {
          keys.apply(event);
          hide(event, deletions);
          tagLocks.observe(event.envelope);
        }
        after = position;
      }
    } catch (error) {
      if (signal.aborted) return;
      logger.error(`the subscription to the log ended and starts again: ${String(error)}`, error);
      await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

function hide({ stream, envelope, position }: RecordedEvent, deletions: RecentDeletions): void {
  const name = envelope.type === DELETED ? parseDocumentStream(stream) : null;
  if (name !== null) deletions.hide(name, position);
}
