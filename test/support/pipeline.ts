import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReportedProgress } from '#composition/runtime';
import { DocumentRepository, DocumentTexts, Erasure, KeptReadings } from '#features/documents';
import { DEFAULT_GROUP, GroupEmbedder, SpaceEmbedders } from '#features/vector-spaces';
import { Pool } from '#platform/child-jobs';
import { type Fetch, openFetch } from '#platform/fetch';
import { type Clock, newId, type OrganizationId, systemScope } from '#platform/kernel';
import { type BlobStore, DiskBlobStore } from '#ports/blobs';
import {
  createCommandHandler,
  createFoldCache,
  type EventStore,
  type Position,
  SqliteEventStore,
} from '#ports/event-store';
import type { MessageBus, WorkMessage } from '#ports/message-bus';
import { type Embedder, EmbedderOff, type ModelStatus, type Window } from '#ports/models';
import { openVectorReader, SqliteVectorStore } from '#ports/vector-store';
import { CHUNK_TOKENS, type ExtractionResources, type MachineResources, NO_RESOURCES } from '#processing/extraction';
import {
  Load,
  Pages,
  PassageJobs,
  Pictures,
  ProcessManager,
  type ProcessManagerTiming,
  Stages,
  TextJobs,
} from '#processing/pipeline';
import { Projector, READ_MODELS, runProjection } from '#read-side/projections';
import { SqliteViewsReader, SqliteViewsWriter, type ViewsWriter } from '#read-side/views';

import { decideAdd } from '../../libs/features/documents/use-cases/src/add-document/decide.ts';

export const ORGANIZATION = 'A'.repeat(22) as OrganizationId;

/** Delivers each message immediately; a test can observe, delay or drop messages. */
export class TestBus implements MessageBus {
  readonly seen: { readonly work: string; readonly message: WorkMessage }[] = [];
  /** While true, publish() fails. */
  down = false;
  #onWorkers: (count: number) => void = () => undefined;
  /** Result of inProgress() for every message. */
  holds = false;
  readonly #deliver: (work: string, message: WorkMessage) => Promise<void>;

  constructor(deliver: (work: string, message: WorkMessage) => Promise<void>) {
    this.#deliver = deliver;
  }

  async publish(pattern: string, message: WorkMessage): Promise<void> {
    if (this.down) throw new Error('The bus is down');
    const work = pattern.slice('pipeline.'.length);
    this.seen.push({ work, message });
    this.#deliver(work, message).catch(() => undefined);
  }

  async inProgress(): Promise<boolean> {
    return this.holds;
  }

  watchWorkers(onCount: (count: number) => void): void {
    this.#onWorkers = onCount;
    onCount(1);
  }

  /** Sets the number of processes that handle work. */
  setWorkers(count: number): void {
    this.#onWorkers(count);
  }
}

/** An embedder with deterministic vectors without meaning, to test processing, not recall. */
export class TestEmbedder implements Embedder {
  readonly #listeners = new Set<(status: ModelStatus) => void>();
  #status: ModelStatus = { state: 'loading' };
  readonly comparesTokens = false;
  embedded = 0;
  windows = 0;

  status(): ModelStatus {
    return this.#status;
  }

  become(status: ModelStatus): void {
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }

  onStatus(listener: (status: ModelStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async embedQuestion(text: string): Promise<Float32Array> {
    return vectorOf(text);
  }

  async embedPassages(texts: readonly string[]): Promise<readonly Float32Array[]> {
    this.embedded += texts.length;
    return texts.map(vectorOf);
  }

  async embedWindows(windows: readonly Window[]): Promise<readonly (readonly Float32Array[])[]> {
    this.windows += windows.length;
    return windows.map((texts) => texts.map(vectorOf));
  }

  compareTokens(): Promise<never> {
    return Promise.reject(new Error('a model of tests has no tokens'));
  }

  async close(): Promise<void> {}
}

const SPACE = 'test.1.384';
export const READY: ModelStatus = { state: 'ready', space: { name: SPACE, dimensions: 384 } };

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(384);
  for (let i = 0; i < text.length; i += 1) vector[(text.charCodeAt(i) * 31 + i) % 384]! += 1;
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export interface PipelineOptions {
  /** An existing data folder. */
  readonly folder?: string;
  /** The model of the serving space. Default: off. */
  readonly embedder?: Embedder;
  /** Several models, in place of one. */
  readonly group?: GroupEmbedder;
  /** Models for other languages than English. Default: none. */
  readonly languages?: GroupEmbedder;
  readonly clock?: Clock;
  /** Wraps the delivery of each message. */
  readonly intercept?: (work: string, message: WorkMessage, run: () => Promise<void>) => Promise<void>;
  /** Creates a bus in place of TestBus, after the stages exist. */
  readonly bus?: (stages: Stages) => Promise<MessageBus>;
  /** A log in place of the folder's log; closed with the pipeline. */
  readonly store?: EventStore;
  /** Wraps the blobs of the projection. */
  readonly projectedBlobs?: (blobs: BlobStore) => BlobStore;
  /** Wraps the write side of the views. */
  readonly writer?: (writer: ViewsWriter) => ViewsWriter;
  readonly timing?: Partial<ProcessManagerTiming>;
  /** How often running stages look for the deletion of their documents. Milliseconds. */
  readonly lookEvery?: number;
  /** Replaces the pool of child processes. */
  readonly pool?: Pool;
  /** For recordings. Default: the same. */
  readonly slowPool?: Pick<Pool, 'run'>;
  /** For reading files. Default: none. */
  readonly resources?: () => Promise<ExtractionResources>;
  /** Whether a resource is there. Default: never. */
  readonly hasResource?: MachineResources['has'];
  /** Fetches pages. Default: only from loopback addresses. */
  readonly fetch?: Fetch;
  /** Between the tries of a fetch. Milliseconds. */
  readonly fetchPauses?: readonly number[];
}

/** Opens log, views and pipeline in one thread on a temporary folder, without HTTP. */
export async function openPipeline(options: PipelineOptions = {}) {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'mneme-pipeline-')));
  const clock = options.clock ?? { now: () => Date.now() };
  const group = options.group ?? new GroupEmbedder(DEFAULT_GROUP, () => options.embedder ?? new EmbedderOff(), SPACE);
  const store: EventStore = options.store ?? (await SqliteEventStore.open({ path: join(folder, 'events.db') }));
  const blobs = await DiskBlobStore.open(join(folder, 'blobs'));
  const vectors = await SqliteVectorStore.open(join(folder, 'vectors.db'));
  const tables = READ_MODELS.flatMap(({ table }) => table ?? []);
  const writer = SqliteViewsWriter.open({ path: join(folder, 'views.db'), tables });
  const reader = SqliteViewsReader.open({ path: join(folder, 'views.db'), cacheBytes: 1 << 24 });
  const texts = new DocumentTexts(blobs);
  const documents = new DocumentRepository(
    createCommandHandler({ store, clock, cache: createFoldCache({ characters: 1_000_000 }) }),
  );
  const progress = new ReportedProgress((a, b) => store.compare(a, b), await writer.checkpoint());
  const stopping = new AbortController();
  const faults: unknown[] = [];
  const vectorReader = openVectorReader(join(folder, 'vectors.db'));
  const projectedTexts = new DocumentTexts(options.projectedBlobs?.(blobs) ?? blobs);
  const projection = runProjection({
    store,
    writer: options.writer?.(writer) ?? writer,
    projector: new Projector({ store, texts: projectedTexts, vectors: vectorReader, space: SPACE }),
    documents,
    signal: stopping.signal,
    onProgress: (position: Position) => progress.report(position),
    onFault: (error) => faults.push(error),
  });
  const pool = options.pool ?? new Pool({ folder: join(folder, 'scratch') });
  const erasure = new Erasure(blobs, vectors);
  const erased: string[] = [];
  const resources = options.resources ?? (async () => NO_RESOURCES);
  const jobs = { pool, slowPool: options.slowPool ?? pool, texts, blobs, resources };
  const stages = new Stages({
    chunkTokens: async () => CHUNK_TOKENS,
    embedded: () => {},
    documents,
    texts,
    embedders: new SpaceEmbedders([group, ...(options.languages === undefined ? [] : [options.languages])]),
    vectors,
    textJobs: new TextJobs(jobs),
    passageJobs: new PassageJobs(jobs),
    pictures: new Pictures(jobs),
    readings: new KeptReadings(blobs),
    pages: new Pages({
      fetch: options.fetch ?? openFetch({ allow: [], loopback: true, proxy: null }),
      folder: join(folder, 'scratch'),
      robots: 'respect',
      ...(options.fetchPauses && { pauses: options.fetchPauses }),
    }),
    progress,
    head: () => store.head(),
    holds: (position) => store.holds(position),
    eraseIfDeleted: async (organization, id) => {
      if (await erasure.eraseIfDeleted(documents, organization, id)) erased.push(id);
    },
    ...(options.lookEvery !== undefined && { lookEvery: options.lookEvery }),
  });
  const { intercept = (_work, _message, run) => run() } = options;
  const bus = new TestBus((work, message) => intercept(work, message, () => stages.run(work, message, 1)));
  const load = new Load(10_000);
  const manager = new ProcessManager({
    store,
    views: reader,
    progress,
    bus: (await options.bus?.(stages)) ?? bus,
    embedder: group,
    documents,
    resources: { has: options.hasResource ?? (async () => false), obtain: async () => false },
    clock,
    load,
    logger: { warn: () => undefined },
    ...(options.timing && { timing: options.timing }),
  });
  manager.start();

  return {
    folder,
    store,
    blobs,
    vectors,
    reader,
    progress,
    documents,
    texts,
    stages,
    bus,
    manager,
    load,
    faults,
    erased,
    /** @returns the id of the new document */
    async add(text: string, tag = 't', filepath: string | null = null, key = 'test'): Promise<string> {
      const id = newId();
      const content = await texts.storeContent(ORGANIZATION, id, text);
      const decided = decideAdd({
        id,
        customId: null,
        content,
        type: 'text',
        source: 'api',
        url: null,
        metadata: null,
        filepath,
        taskType: 'memory',
        documentDate: null,
        sizes: {},
      });
      const cause = { actor: `key:${key}`, correlationId: id, causationId: null };
      await documents.create(systemScope(ORGANIZATION), id, cause, decided, [tag]);
      return id;
    },
    /** Waits until a document has `times` events of a type. */
    async event(id: string, type: string, times = 1): Promise<void> {
      const signal = AbortSignal.timeout(30_000);
      let seen = 0;
      for await (const { events } of store.subscribe({ after: null, envelopesOnly: true, signal })) {
        seen += events.filter(({ stream, envelope }) => stream.endsWith(id) && envelope.type === type).length;
        if (seen >= times) return;
      }
      throw new Error(`Document ${id} has no event ${type} in time`);
    },
    /** Shuts down cleanly. @param options.keep keeps the folder */
    async close({ keep = false } = {}): Promise<void> {
      await manager.stop();
      stopping.abort();
      await projection;
      await pool.close();
      vectorReader.close();
      await reader.close();
      await writer.close();
      await vectors.close();
      await store.close();
      // A file may be written until the last work has ended.
      if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export type Pipeline = Awaited<ReturnType<typeof openPipeline>>;
