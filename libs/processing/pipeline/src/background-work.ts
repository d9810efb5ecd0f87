import { setTimeout as pause } from 'node:timers/promises';
import {
  collectGarbage,
  type DocumentRepository,
  type DocumentTexts,
  type Erasure,
  KeptReadings,
} from '#features/documents';
import type { SettingsRepository } from '#features/settings';
import { DEFAULT_GROUP, keepSwept, type SpaceEmbedders } from '#features/vector-spaces';
import type { Pool } from '#platform/child-jobs';
import type { Clock } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { EventStore, StreamKeys } from '#ports/event-store';
import type { Lease, Leases } from '#ports/leases';
import type { MessageBus } from '#ports/message-bus';
import type { VectorStore } from '#ports/vector-store';
import type { MachineResources } from '#processing/extraction';
import { VIEWS_LEASE, type ViewsProgress, type ViewsReader } from '#read-side/views';
import { ChunkTokens } from './chunk-tokens.ts';
import { recordExpiries } from './expiries.ts';
import { Load } from './load.ts';
import type { Pages } from './pages/pages.ts';
import { PassageJobs } from './passage-jobs.ts';
import { Pictures } from './pictures/pictures.ts';
import type { StageQueue } from './process-manager/dispatcher.ts';
import { ProcessManager } from './process-manager/process-manager.ts';
import { Stages, type StagesActivity } from './stages.ts';
import { TextJobs } from './text-jobs.ts';

export interface BackgroundWorkOptions {
  readonly store: EventStore;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  /** Null: the log keeps its payloads itself. */
  readonly streamKeys: StreamKeys | null;
  readonly views: {
    readonly reader: ViewsReader;
    readonly progress: ViewsProgress;
    follow(held: Lease): Promise<void>;
  };
  readonly bus: MessageBus;
  readonly leases: Leases;
  readonly embedders: SpaceEmbedders;
  readonly documents: DocumentRepository;
  readonly texts: DocumentTexts;
  readonly erasure: Erasure;
  readonly settings: Pick<SettingsRepository, 'load'>;
  readonly clock: Clock;
  readonly maxBacklog: number;
  /** Fetches what callers give as a URL. */
  readonly pages: Pick<Pages, 'permit' | 'fetch' | 'pauseAfter'>;
  /** Closed with the work. */
  readonly pool: Pick<Pool, 'run' | 'close'>;
  /** For files that take minutes; closed with the work. */
  readonly slowPool: Pick<Pool, 'run' | 'close'>;
  /** What this machine has for reading files. Closed with the work. */
  readonly resources: MachineResources;
  readonly logger: { warn(message: string, cause?: unknown): void; error(message: string, cause?: unknown): void };
  /** Further tasks that one process at a time may do, by the names of their leases. */
  readonly tasks?: Readonly<Record<string, (held: Lease) => Promise<void>>>;
}

/** What a process does in the background. */
export interface WorkReport extends StagesActivity {
  /** Names of the leases that it holds. */
  readonly holds: readonly string[];
  /** Leased tasks that ended by a fault in the last half minute and start again, here or in another process. */
  readonly failing: readonly string[];
}

const PAUSE_MS = 1_000;
const FAILING_MS = 30_000;

/**
 * The work behind the API: the stages and, each in one process at a time, the projection, the process manager and the
 * garbage collection.
 */
export class BackgroundWork {
  /** Run by the handlers on the bus. */
  readonly stages: Stages;
  /** How much waits here. */
  readonly load: Load;
  readonly #options: BackgroundWorkOptions;
  readonly #stopping = new AbortController();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #holds = new Set<string>();
  /** Time of the last fault of each leased task. */
  readonly #failedAt = new Map<string, number>();
  #following: Promise<void> = Promise.resolve();
  #manager: ProcessManager;

  constructor(options: BackgroundWorkOptions) {
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

  report(): WorkReport {
    const recently = this.#options.clock.now() - FAILING_MS;
    const failing = [...this.#failedAt].filter(([, at]) => at > recently).map(([name]) => name);
    return { ...this.stages.activity, holds: [...this.#holds].sort(), failing };
  }

  /** Documents at each stage; empty in a process that does not run the process manager. */
  queues(): readonly StageQueue[] {
    return this.#holds.has('process-manager') ? this.#manager.queues() : [];
  }

  /** Starts the projection. */
  follow(): void {
    this.#following = this.#keep(VIEWS_LEASE, (held) => this.#options.views.follow(held), this.#closing.signal);
  }

  /** Starts to dispatch work, so the handlers on the bus must exist. */
  start(): void {
    const tasks = {
      'process-manager': (held: Lease) => this.#manage(held),
      'left-behind': ({ signal }: Lease) => this.#collect(signal),
      expiries: ({ signal }: Lease) => recordExpiries({ ...this.#options, signal }),
      ...this.#options.tasks,
    };
    for (const [name, run] of Object.entries(tasks)) this.#running.push(this.#keep(name, run, this.#stopping.signal));
  }

  /** Stops dispatching. Running stages are abandoned when the bus closes. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  /** Call it after the bus has ended. Ends child processes at once. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    const { pool, slowPool, resources } = this.#options;
    await Promise.all([pool.close(), slowPool.close(), resources.close()]);
  }

  /** Removes what nothing in the log owns any more. Both kinds of work go on until the signal aborts; the first to see it ends this. */
  async #collect(signal: AbortSignal): Promise<void> {
    const options = { ...this.#options, signal };
    await Promise.race([collectGarbage(options), keepSwept(options)]);
  }

  /** Runs a task under its lease until the signal aborts; starts it again after a fault. */
  async #keep(name: string, run: (held: Lease) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { leases, logger, clock } = this.#options;
    const held = async (lease: Lease) => {
      this.#holds.add(name);
      try {
        await run(lease);
      } finally {
        this.#holds.delete(name);
      }
    };
    while (!signal.aborted) {
      try {
        await leases.hold(name, { signal, run: held });
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#failedAt.set(name, clock.now());
        logger.error(`${name} ended and starts again: ${String(error)}`, error);
        await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #manage({ signal }: Lease): Promise<void> {
    // A stopped manager has outdated tasks; a new one begins from the views.
    const manager = this.#manager.started ? this.#newManager() : this.#manager;
    this.#manager = manager;
    manager.start();
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    try {
      await Promise.race([stopped, manager.ended]);
    } finally {
      await manager.stop();
    }
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
