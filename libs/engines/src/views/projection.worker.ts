import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { DocumentTexts, upcasters } from '#documents';
import { type Position, withUpcasters } from '#event-store';
import { Projector, runProjection } from '#projections';
import { serve } from '#threads';
import { SqliteViewsWriter, type ViewsWriter } from '#views';
import type { EngineSettings } from '../settings.ts';
import { attachBlobs, attachEventStore, attachVectors } from '../storage/attach.ts';

/** A thread that keeps views up with the log; the only one that writes them. */
export interface ProjectionApi {
  /** Opens (or makes) the views. Answers with their checkpoint. */
  open(): Promise<Position | null>;
  /** Begins to follow the log. Notices: `progress` with `[position, written]`, of the whole run, `fault` with a message. */
  start(): void;
  /** Resolves when the views are closed. */
  stop(): Promise<void>;
}

export interface ProjectionThreadData {
  readonly settings: EngineSettings;
  /** File of the embedded views. */
  readonly path: string;
  /** To the embedded log; null: it is opened by its setting. */
  readonly store: MessagePort | null;
}

const { settings, path, store: port } = workerData as ProjectionThreadData;
const stopping = new AbortController();
let writer: ViewsWriter;
let running: Promise<void> = Promise.resolve();

const { notify } = serve<ProjectionApi>(parentPort as MessagePort, {
  async open() {
    writer = SqliteViewsWriter.open({ path });
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
  const store = withUpcasters(await attachEventStore(settings, port), upcasters);
  const texts = new DocumentTexts(await attachBlobs(settings));
  const projector = new Projector({ store, texts, vectors: await attachVectors(settings) });
  let [documents, units] = [0, 0];
  await runProjection({
    store,
    writer,
    projector,
    signal: stopping.signal,
    onProgress: (position, written) => {
      documents += written.documents;
      units += written.units;
      notify('progress', [position, { documents, units }]);
    },
    onFault: (error) => notify('fault', String(error)),
  });
}
