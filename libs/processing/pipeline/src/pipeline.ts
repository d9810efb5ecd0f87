import { type DocumentRepository, type DocumentTexts, type Erasure, KeptReadings } from '#features/documents';
import type { SettingsRepository } from '#features/settings';
import { DEFAULT_GROUP, type SpaceEmbedders } from '#features/vector-spaces';
import type { Pool } from '#platform/child-jobs';
import type { Clock } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { EventStore } from '#ports/event-store';
import type { MessageBus } from '#ports/message-bus';
import type { VectorStore } from '#ports/vector-store';
import type { MachineResources } from '#processing/extraction';
import type { ViewsProgress, ViewsReader } from '#read-side/views';
import { ChunkTokens } from './chunk-tokens.ts';
import { Load } from './load.ts';
import type { Pages } from './pages/pages.ts';
import { PassageJobs } from './passage-jobs.ts';
import { Pictures } from './pictures/pictures.ts';
import type { StageQueue } from './process-manager/dispatcher.ts';
import { ProcessManager } from './process-manager/process-manager.ts';
import { Stages } from './stages.ts';
import { TextJobs } from './text-jobs.ts';

export interface PipelineOptions {
  readonly store: EventStore;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly views: { readonly reader: ViewsReader; readonly progress: ViewsProgress };
  readonly bus: MessageBus;
  readonly embedders: SpaceEmbedders;
  readonly documents: DocumentRepository;
  readonly texts: DocumentTexts;
  readonly erasure: Erasure;
  readonly settings: Pick<SettingsRepository, 'load'>;
  /** Called with the tokens that are embedded for an organization. */
  readonly embedded: (organization: string, tokens: number) => void;
  readonly clock: Clock;
  readonly maxBacklog: number;
  /** Fetches what callers give as a URL. */
  readonly pages: Pick<Pages, 'permit' | 'fetch' | 'pauseAfter'>;
  /** Closed with the pipeline. */
  readonly pool: Pick<Pool, 'run' | 'close'>;
  /** For files that take minutes; closed with the pipeline. */
  readonly slowPool: Pick<Pool, 'run' | 'close'>;
  /** What this machine has for reading files. Closed with the pipeline. */
  readonly resources: MachineResources;
  readonly logger: { warn(message: string, cause?: unknown): void; error(message: string, cause?: unknown): void };
}

/** The stages of a process, and the process manager, which runs in one process at a time. */
export class Pipeline {
  /** Run by the handlers on the bus. */
  readonly stages: Stages;
  /** How much waits here. */
  readonly load: Load;
  readonly #options: PipelineOptions;
  #manager: ProcessManager;
  #isManaging = false;

  constructor(options: PipelineOptions) {
    const { store, erasure, views, resources, ...parts } = options;
    this.#options = options;
    const chunkTokens = new ChunkTokens(options.settings);
    const jobs = {
      ...parts,
      resources: () => resources.find(),
      obtain: (name: string) => resources.obtain(name),
    };
    this.stages = new Stages({
      ...parts,
      textJobs: new TextJobs(jobs),
      passageJobs: new PassageJobs(jobs),
      pictures: new Pictures(jobs),
      readings: new KeptReadings(options.blobs),
      progress: views.progress,
      chunkTokens: (message) => chunkTokens.of(message),
      head: () => store.head(),
      holds: (position) => store.holds(position),
      eraseIfDeleted: (organization, id) => erasure.eraseIfDeleted(options.documents, organization, id),
    });
    this.load = new Load(options.maxBacklog);
    this.#manager = this.#newManager();
  }

  /** Documents at each stage; empty in a process that does not run the process manager. */
  queues(): readonly StageQueue[] {
    return this.#isManaging ? this.#manager.queues() : [];
  }

  /** Runs the process manager until the signal aborts, or it fails. */
  async manage(signal: AbortSignal): Promise<void> {
    // A stopped manager has outdated tasks; a new one begins from the views.
    const manager = this.#manager.started ? this.#newManager() : this.#manager;
    this.#manager = manager;
    this.#isManaging = true;
    manager.start();
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    try {
      await Promise.race([stopped, manager.ended]);
    } finally {
      this.#isManaging = false;
      await manager.stop();
    }
  }

  /** Ends child processes at once. */
  async close(): Promise<void> {
    const { pool, slowPool, resources } = this.#options;
    await Promise.all([pool.close(), slowPool.close(), resources.close()]);
  }

  #newManager(): ProcessManager {
    const { store, views, bus, embedders, documents, resources, clock, logger } = this.#options;
    return new ProcessManager({
      store,
      views: views.reader,
      progress: views.progress,
      bus,
      embedder: embedders.of(DEFAULT_GROUP),
      documents,
      resources,
      clock,
      load: this.load,
      logger,
    });
  }
}
