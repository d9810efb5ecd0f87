import { setTimeout as pause } from 'node:timers/promises';
import type { BlobStore } from '#blobs';
import { type DocumentRepository, type DocumentTexts, type Erasure, finishErasures, removeOrphans } from '#documents';
import type { EventStore } from '#event-store';
import type { Clock } from '#kernel';
import type { Lease, Leases } from '#leases';
import type { MessageBus } from '#message-bus';
import { Pool } from '#pool';
import type { VectorCache } from '#vector-cache';
import { DEFAULT_GROUP, type SpaceEmbedders } from '#vector-spaces';
import type { ViewsProgress, ViewsReader } from '#views';
import { Load } from './load.ts';
import type { StageQueue } from './process-manager/dispatcher.ts';
import { ProcessManager } from './process-manager/process-manager.ts';
import { Stages, type StagesActivity } from './stages.ts';
import { TextJobs } from './text-jobs.ts';

export interface BackgroundWorkOptions {
  readonly store: EventStore;
  readonly blobs: BlobStore;
  readonly vectors: VectorCache;
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
  readonly clock: Clock;
  readonly maxBacklog: number;
  /** Folder for temporary files of the jobs. */
  readonly scratch: string;
  readonly logger: { warn(message: string): void; error(message: string): void };
  /** Further work that only one process may do at a time, by the name of its lease. */
  readonly tasks?: Readonly<Record<string, (held: Lease) => Promise<void>>>;
}

/** What goes on in a process, and what does not. */
export interface WorkReport extends StagesActivity {
  /** Leases that it holds: what it alone does. */
  readonly holds: readonly string[];
  /** Of what it alone did, what ended by a fault in the last half minute; begun again, here or elsewhere. */
  readonly failing: readonly string[];
}

const PAUSE_MS = 1_000;
const FAILING_MS = 30_000;
/** An erasure that an outage cut off is finished within this time. */
const TIDY_EVERY_MS = 10 * 60_000;
/** Every blob is looked at for it. */
const ORPHANS_EVERY_MS = 24 * 60 * 60_000;

/**
 * Everything that goes on behind the API: the stages, and, each in one process at a time, the projection, the process
 * manager and what tidies up.
 */
export class BackgroundWork {
  /** What the bus's handlers run. */
  readonly stages: Stages;
  /** How much waits here. */
  readonly load: Load;
  readonly #options: BackgroundWorkOptions;
  readonly #pool: Pool;
  readonly #stopping = new AbortController();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #holds = new Set<string>();
  /** When what ended by a fault did so. */
  readonly #failedAt = new Map<string, number>();
  #following: Promise<void> = Promise.resolve();
  #manager: ProcessManager;

  constructor(options: BackgroundWorkOptions) {
    const { store, erasure, views, ...parts } = options;
    this.#options = options;
    this.#pool = new Pool({ folder: options.scratch });
    this.stages = new Stages({
      ...parts,
      textJobs: new TextJobs({ pool: this.#pool, texts: options.texts, blobs: options.blobs }),
      progress: views.progress,
      head: () => store.head(),
      erase: (organization, id) => erasure.erase(organization, id),
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

  /** The views begin to follow the log. */
  follow(): void {
    this.#following = this.#keep('views', (held) => this.#options.views.follow(held), this.#closing.signal);
  }

  /** Work is dispatched from now on, so the bus's handlers must be there. */
  start(): void {
    const tasks = {
      'process-manager': (held: Lease) => this.#manage(held),
      'left-behind': (held: Lease) => this.#tidy(held),
      ...this.#options.tasks,
    };
    for (const [name, run] of Object.entries(tasks)) this.#running.push(this.#keep(name, run, this.#stopping.signal));
  }

  /** Dispatches nothing more. What is being worked on ends with the bus. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  /** After the bus: until then the last stage of what is being worked on waits for the views. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    await this.#pool.close();
  }

  /** Holds the lease until the signal aborts, whatever happens to it. */
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
        logger.error(`${name} ended and starts again: ${String(error)}`);
        await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #manage({ signal }: Lease): Promise<void> {
    // A manager that was stopped knows what was; the next one begins from what the views say.
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

  async #tidy({ signal }: Lease): Promise<void> {
    const { store, blobs, erasure, clock, logger } = this.#options;
    let orphansAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      try {
        await finishErasures(store, erasure, clock);
        if (clock.now() - orphansAt >= ORPHANS_EVERY_MS) {
          await removeOrphans(store, blobs, signal);
          orphansAt = clock.now();
        }
      } catch (error) {
        if (!signal.aborted) logger.error(`what a crash or an outage left behind was not removed: ${String(error)}`);
      }
      await pause(TIDY_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #newManager(): ProcessManager {
    const { store, views, bus, embedders, clock, logger } = this.#options;
    return new ProcessManager({
      store,
      views: views.reader,
      progress: views.progress,
      bus,
      embedder: embedders.of(DEFAULT_GROUP),
      clock,
      load: this.load,
      logger,
    });
  }
}
