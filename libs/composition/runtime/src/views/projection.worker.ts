import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { DocumentRepository, DocumentTexts } from '#features/documents';
import { errorRecord, systemClock } from '#platform/kernel';
import { serve } from '#platform/thread-calls';
import type { BlobStore } from '#ports/blobs';
import { createCommandHandler, createFoldCache, type Position, withUpcasters } from '#ports/event-store';
import { Projector, runProjection, servedCheckpoint } from '#read-side/projections';
import type { OpenSearchWriter, SqliteViewsWriter } from '#read-side/views';
import { upcasters } from '../catalogue.ts';
import { dataFiles } from '../data-files.ts';
import { keptInWork } from '../kept-in-work.ts';
import type { EngineSettings } from '../settings.ts';
import { attachStorage } from '../storage/attach.ts';
import type { StoragePorts } from '../storage/open-storage.ts';
import { IndexedUnitWriting } from './indexed-unit-writing.ts';
import { openWriter, removeTarget, type ViewsTarget, type Writer } from './target.ts';
import { UnitWriting } from './unit-writing.ts';

/** Projects the log into views; the only thread that writes them. */
export interface ProjectionApi {
  /** Opens or creates the views. */
  open(): Promise<OpenedViews>;
  /** Replaces the views by empty ones. */
  renew(): Promise<void>;
  /**
   * Starts following the log. Notices: `progress` with `[position, written]` since the start; `late` with
   * `[organization, id, isLate]` when units of a document are left for later, or are there; `fault` with the record of an error;
   * `ended` with the record of the error when it cannot go on.
   */
  start(): void;
  /** Resolves when the views are closed. */
  stop(): Promise<void>;
}

export interface OpenedViews {
  /** Null: they are empty. */
  readonly checkpoint: Position | null;
  /** @see ViewsWriter.positions */
  readonly positions: readonly Position[];
}

export interface ProjectionThreadData {
  readonly settings: EngineSettings;
  readonly target: ViewsTarget;
  readonly ports: StoragePorts;
}

/** Milliseconds after which tombstones on OpenSearch are purged, and deleted rows merged away if that is due. */
const TIDY_EVERY_MS = 3_600_000;
/** Milliseconds after a start or a fault by which OpenSearch has executed what it had accepted before, after a pause too. */
const SETTLED_AFTER_MS = 120_000;

const { settings, target, ports } = workerData as ProjectionThreadData;
const stopping = new AbortController();
let writer: Writer;
let running: Promise<void> = Promise.resolve();
let isTidying = false;
let settling: NodeJS.Timeout | undefined;

const { notify } = serve<ProjectionApi>(parentPort as MessagePort, {
  async open() {
    writer = await openWriter(target);
    return { checkpoint: await servedCheckpoint(writer), positions: await writer.positions() };
  },
  async renew() {
    await writer.close();
    await removeTarget(target);
    writer = await openWriter(target);
  },
  start() {
    running = follow().catch((error) => notify('ended', errorRecord(error)));
    if (target.kind === 'opensearch') setInterval(() => void tidy(), TIDY_EVERY_MS);
    tidyWhenSettled();
  },
  async stop() {
    stopping.abort();
    await running;
    await writer.close();
  },
});

async function follow(): Promise<void> {
  const { store, blobs, vectors } = await attachStorage(settings, ports);
  const upcast = withUpcasters(store, upcasters);
  const space = (await writer.vectorSpace()) ?? target.space;
  const texts = new DocumentTexts(blobs);
  const elsewhere = unitWriting(texts, blobs);
  const projector = new Projector({
    store: upcast,
    texts,
    vectors,
    space,
    keptInWork: keptInWork(settings),
    defers: elsewhere.defers,
  });
  // Used only for documents that the views reject, or that have lost content.
  const cache = createFoldCache({ characters: 10_000 });
  const handler = createCommandHandler({ store, clock: systemClock, cache, upcasters });
  const repository = new DocumentRepository(handler);
  let [documents, units] = [0, 0];
  const running = runProjection({
    store: upcast,
    writer,
    projector,
    writeDeferred: elsewhere.write,
    // A rebuild that has reached the end of the log holds everything.
    ...(isServing() && {
      late: {
        takes: elsewhere.takesLate,
        write: elsewhere.writeLate,
        onChange: ({ organization, id }, isLate) => notify('late', [organization, id, isLate]),
      },
    }),
    documents: repository,
    // Of a rebuild, a batch that lacks nothing does not mean that the serving views have what they lacked.
    suspension: { isOpen: isServing() && (await repository.losses.suspension()) !== null },
    signal: stopping.signal,
    onProgress: (position, written) => {
      documents += written.documents;
      units += written.units;
      notify('progress', [position, { documents, units }]);
    },
    onFault: (error) => {
      notify('fault', errorRecord(error));
      tidyWhenSettled();
    },
  });
  await running.finally(() => elsewhere.close());
}

/** Whether these are the views that answer, and not ones that are built beside them. */
function isServing(): boolean {
  if (target.kind === 'file') return target.path === dataFiles(settings.dataFolder).views;
  return target.prefix === settings.prefix;
}

function unitWriting(texts: DocumentTexts, blobs: BlobStore): UnitWriting | IndexedUnitWriting {
  const { scratch, blobs: folder } = dataFiles(settings.dataFolder);
  const blobFolder = settings.natsUrl === null ? folder : null;
  const common = { blobs, blobFolder, scratch, signal: stopping.signal };
  if (target.kind === 'opensearch') return new IndexedUnitWriting({ ...common, writer: writer as OpenSearchWriter });
  return new UnitWriting({ ...common, writer: writer as SqliteViewsWriter, views: target.path, texts });
}

/** Rows that a failed or former write leaves are removed soon: they count in the statistics. */
function tidyWhenSettled(): void {
  if (target.kind !== 'opensearch') return;
  clearTimeout(settling);
  settling = setTimeout(() => void tidy(), SETTLED_AFTER_MS);
}

async function tidy(): Promise<void> {
  // A merge of large indices may take longer than an hour.
  if (isTidying) return;
  isTidying = true;
  try {
    await writer.purge?.();
    if (isServing()) await writer.mergeDaily?.({ signal: stopping.signal });
  } catch (error) {
    if (!stopping.signal.aborted) notify('fault', errorRecord(error));
  } finally {
    isTidying = false;
  }
}
