import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '#ports/event-store';
import type { Projected } from '../read-model.ts';
import { applyBatch } from './apply-batch.ts';
import type { LateUnits } from './late-units.ts';
import { NOTHING, type ProjectionOptions, together, type WrittenCounts } from './options.ts';
import { pagesUntil } from './pages.ts';
import { writeBatch } from './write-batch.ts';

/** Events of a batch while catching up, each of which may bring a whole stream. */
const BATCH = 1_024;
/** Milliseconds between checkpoints, where the writer can write batches ahead of one. */
const CHECKPOINT_EVERY_MS = 2_000;
/** Batches ahead of a checkpoint at the same time: while one is indexed elsewhere, the next one is sent. */
const CONCURRENT = 2;

/**
 * Brings the views to where the log ends when this begins, and returns how far they are then. While a batch is written,
 * the store reads the streams of the next one. Batches may be written side by side, because rows name their revision.
 * Empty views need only the events by which streams are found: each stream is read to its end.
 * @throws as `writeBatch`
 */
export async function catchUp(
  options: ProjectionOptions,
  checkpoint: Position | null,
  late: LateUnits | null,
): Promise<Position | null> {
  const { store, writer, projector, signal, onProgress } = options;
  const head = await store.head();
  if (head === null) return checkpoint;
  const filter = checkpoint === null ? { types: projector.opens } : {};
  const pages = pagesUntil({ store, after: checkpoint, until: head, filter, limit: BATCH, signal });

  let after = checkpoint;
  let written = NOTHING;
  let checkpointAt = performance.now();
  const early: Promise<WrittenCounts>[] = [];
  let page = (await pages.next()).value;
  let prepared = page && completeOrNull(projector.latestOf(page.events));
  while (page) {
    const { events, position } = page;
    const projected = await prepared;
    page = (await pages.next()).value;
    prepared = page && completeOrNull(projector.latestOf(page.events));
    // The calls leave this thread before the writing keeps it busy.
    await nextTurn();
    const project = async () => projected ?? projector.latestOf(events);
    // Units can be late of batches with a checkpoint only.
    const mayBeLate = late !== null && (!projected || (projected.deferred ?? []).length > 0);
    const isTime = performance.now() - checkpointAt >= CHECKPOINT_EVERY_MS;
    const checkpointIsDue = !page || !writer.bring || mayBeLate || isTime;
    while (early.length >= (checkpointIsDue ? 1 : CONCURRENT)) {
      written = together(written, (await early.shift()) as WrittenCounts);
    }
    if (checkpointIsDue) {
      const own = await applyBatch(options, project, { before: after, position }, late);
      if (own !== null) onProgress(position, together(written, own));
      written = NOTHING;
      checkpointAt = performance.now();
    } else {
      early.push(writeEarly(options, project));
    }
    after = position;
  }
  return after;
}

/** Writes a batch ahead of its checkpoint. Rejects as `writeBatch`, to the caller that awaits it. */
function writeEarly(options: ProjectionOptions, project: () => Promise<Projected>): Promise<WrittenCounts> {
  const own = writeBatch(options, project, async (changes) => options.writer.bring?.(changes));
  const written = own.then((count) => count ?? NOTHING);
  written.catch(() => undefined);
  return written;
}

/** Returns null for a batch that failed or lacks something; it is projected again when it is due. */
async function completeOrNull(promise: Promise<Projected>): Promise<Projected | null> {
  try {
    const projected = await promise;
    return projected.incomplete.length === 0 ? projected : null;
  } catch {
    return null;
  }
}
