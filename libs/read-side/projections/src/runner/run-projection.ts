import type { Position } from '#ports/event-store';
import type { ViewsWriter } from '#read-side/views';
import { DOCUMENTS } from '../read-models/documents.ts';
import { applyBatch } from './apply-batch.ts';
import { buildModel } from './build.ts';
import { catchUp } from './catch-up.ts';
import { LateUnits } from './late-units.ts';
import type { ProjectionOptions } from './options.ts';

/** Events of one transaction. */
const BATCH = 4_096;

/**
 * Keeps the views up with the log: from their checkpoint on, until the signal aborts. The only writer of views. Read models
 * that were created or changed since the checkpoint are built beside the others.
 * @throws FencedError, ViewsDamagedError, ViewsMissingError: the views have to be opened again
 */
export async function runProjection(options: ProjectionOptions): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const building = options.writer.building();
  const documents = building.some(({ name }) => name === DOCUMENTS.name);
  // The views are as far as the documents in them.
  const onProgress: ProjectionOptions['onProgress'] = (position, written) => {
    if (!options.writer.building().some(({ name }) => name === DOCUMENTS.name)) options.onProgress(position, written);
  };
  const own = { suspension: { isOpen: false }, ...options, signal, onProgress };
  const builds = building.map(async (model) => {
    await buildModel(own, model);
    const checkpoint = await options.writer.checkpoint();
    if (documents && checkpoint !== null) onProgress(checkpoint, { documents: 0, units: 0 });
  });
  // While the documents are being built, every batch has all of its units.
  const late = documents || options.late === undefined ? null : new LateUnits(own, options.late);
  const all = [follow(own, late), ...(late === null ? [] : [late.run()]), ...builds].map((task) =>
    task.catch((error: unknown) => {
      failed.abort();
      throw error;
    }),
  );
  for (const outcome of await Promise.allSettled(all)) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Returns up to where the views reflect the log: while the documents are being built, up to where that has got. */
export async function servedCheckpoint(writer: ViewsWriter): Promise<Position | null> {
  const documents = writer.building().find(({ name }) => name === DOCUMENTS.name);
  return documents === undefined ? writer.checkpoint() : documents.after;
}

async function follow(options: ProjectionOptions, late: LateUnits | null): Promise<void> {
  const { store, writer, projector, signal, onProgress } = options;
  let before = await catchUp(options, await writer.checkpoint(), late);
  if (!signal.aborted) writer.caughtUp?.();
  for await (const { events, position } of store.subscribe({ after: before, signal, batch: BATCH })) {
    if (position === null) continue;
    const written = await applyBatch(options, () => projector.changesOf(events), { before, position }, late);
    if (written === null) continue;
    onProgress(position, written);
    before = position;
  }
}
