import { setTimeout as pause } from 'node:timers/promises';
import { type DocumentRepository, documentStream, memoryIn } from '#features/documents';
import { decideExpired } from '#features/memories';
import { type Clock, isTransient, ok, systemScope } from '#platform/kernel';
import { type Position, systemCause } from '#ports/event-store';
import type { ViewsProgress, ViewsReader } from '#read-side/views';

export interface RecordExpiriesOptions {
  readonly documents: Pick<DocumentRepository, 'change'>;
  readonly views: { readonly reader: Pick<ViewsReader, 'expired'>; readonly progress: ViewsProgress };
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: { warn(message: string, cause?: unknown): void };
  /** Milliseconds between two looks at the views. Default: 500. */
  readonly every?: number;
}

type DueExpiries = Awaited<ReturnType<ViewsReader['expired']>>;

const EVERY_MS = 500;
const AT_ONCE = 100;
/** How long the views are waited for, so that the next look does not find the same memories. Milliseconds. */
const VIEWS_MS = 5_000;

/**
 * Records for followers of the feed that memories have expired, until the signal aborts. Searches do not depend on it: they
 * compare the time of expiry with their own. While the views or the log do not answer, it tries again.
 */
export async function recordExpiries(options: RecordExpiriesOptions): Promise<void> {
  const { signal, every = EVERY_MS } = options;
  /** Streams of memories of which it cannot be recorded, for example because the key of their stream is lost. */
  const failed = new Set<string>();
  while (!signal.aborted) {
    const more = await recordSome(options, failed).catch((error) => {
      if (isTransient(error)) return false;
      throw error;
    });
    if (!more) await pause(every, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns whether more may be due at once. */
async function recordSome(options: RecordExpiriesOptions, failed: Set<string>): Promise<boolean> {
  const { views, clock } = options;
  const found = await views.reader.expired(clock.now(), AT_ONCE + failed.size);
  const due = found.filter(({ organization, id }) => !failed.has(documentStream(organization, id)));
  const last = await recordAll(options, due, failed);
  if (last !== null) await views.progress.reached(last, VIEWS_MS);
  return due.length >= AT_ONCE;
}

/** Returns the position of the last event; null: none was recorded. */
async function recordAll(
  { documents, clock, signal, logger }: RecordExpiriesOptions,
  due: DueExpiries,
  failed: Set<string>,
): Promise<Position | null> {
  let last: Position | null = null;
  for (const { organization, id } of due) {
    if (signal.aborted) break;
    try {
      const changed = await documents.change(systemScope(organization), id, systemCause(), (state) =>
        ok(decideExpired(memoryIn(state), clock.now())),
      );
      if (changed.ok && changed.value.position !== null) last = changed.value.position;
    } catch (error) {
      if (isTransient(error)) throw error;
      failed.add(documentStream(organization, id));
      logger.warn(`it could not be recorded that the memory ${id} has expired: ${String(error)}`, error);
    }
  }
  return last;
}
