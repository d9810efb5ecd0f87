import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { DiskBlobStore } from '#blobs';
import { DocumentTexts, upcasters } from '#documents';
import { type Position, SqliteEventStore, withUpcasters } from '#event-store';
import { Projector, runProjection } from '#projections';
import { serve } from '#threads';
import { openVectorReader } from '#vector-cache';
import { SqliteViewsWriter } from '#views';
import type { DataFiles } from './files.ts';

/** The thread that keeps the views up with the log; the only one that writes them. */
export interface ProjectionThread {
  /** Opens (or makes) the views. Answers with their checkpoint. */
  open(): Promise<Position | null>;
  /** Begins to follow the log. Notices: `progress` with a position, `fault` with a message. */
  start(): void;
  stop(): Promise<void>;
}

export interface ProjectionThreadData {
  readonly files: DataFiles;
  readonly store: MessagePort;
}

const { files, store: storePort } = workerData as ProjectionThreadData;
const stopping = new AbortController();
let writer: SqliteViewsWriter;
let running: Promise<void> = Promise.resolve();

const { notify } = serve<ProjectionThread>(parentPort as MessagePort, {
  async open() {
    writer = SqliteViewsWriter.open({ path: files.views });
    return writer.checkpoint();
  },
  start() {
    running = follow();
  },
  async stop() {
    stopping.abort();
    await running;
    await writer.close();
  },
});

async function follow(): Promise<void> {
  const store = withUpcasters(await SqliteEventStore.attach(storePort), upcasters);
  const texts = new DocumentTexts(DiskBlobStore.attach(files.blobs));
  const projector = new Projector({ store, texts, vectors: openVectorReader(files.vectors) });
  await runProjection({
    store,
    writer,
    projector,
    signal: stopping.signal,
    onProgress: (position) => notify('progress', position),
    onFault: (error) => notify('fault', String(error)),
  });
}
