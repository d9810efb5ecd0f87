import type { Position } from '#event-store';
import type { ViewsWriter } from '#views';
import { DOCUMENTS } from '../read-models/documents.ts';
import { buildModel } from './build.ts';
import { catchUp } from './catch-up.ts';
import type { ProjectionOptions } from './options.ts';
import { writeBatch } from './write-batch.ts';

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
  const all = [follow(own), ...builds].map((task) =>
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

async function follow(options: ProjectionOptions): Promise<void> {
  const { store, writer, projector, signal, onProgress } = options;
  const after = await catchUp(options, await writer.checkpoint());
  for await (const { events, position } of store.subscribe({ after, signal, batch: BATCH })) {
    if (position === null) continue;
    const written = await writeBatch(
      options,
      () => projector.changesOf(events),
      (changes) => writer.apply(changes, position),
    );
    if (written !== null) onProgress(position, written);
  }
}
