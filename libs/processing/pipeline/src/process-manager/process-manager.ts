import type { DocumentRepository } from '#features/documents';
import type { GroupEmbedder } from '#features/vector-spaces';
import type { Clock } from '#platform/kernel';
import type { EventStore } from '#ports/event-store';
import type { MessageBus } from '#ports/message-bus';
import type { MachineResources } from '#processing/extraction';
import type { UnfinishedDocument, ViewsProgress, ViewsReader } from '#read-side/views';
import type { Load } from '../load.ts';
import { Resources } from '../resources.ts';
import { patternOf } from '../stages/registry.ts';
import { Backfill } from './backfill.ts';
import { Dispatcher, type StageQueue } from './dispatcher.ts';
import { MissingResources } from './missing-resources.ts';
import { SETTINGS, SettingsChanges } from './settings-changes.ts';
import { messageOf, type Task } from './task.ts';
import { TaskTable } from './task-table.ts';
import { Throttle } from './throttle.ts';

export interface ProcessManagerOptions {
  readonly store: EventStore;
  readonly views: Pick<ViewsReader, 'unfinished' | 'withoutVectors' | 'withoutSummary' | 'list'>;
  readonly progress: ViewsProgress;
  readonly bus: MessageBus;
  readonly embedder: Pick<GroupEmbedder, 'status' | 'onStatus'>;
  readonly documents: Pick<DocumentRepository, 'load' | 'change'>;
  /** Of this machine, for reading files. */
  readonly resources: Pick<MachineResources, 'has' | 'obtain'>;
  readonly clock: Clock;
  readonly load: Load;
  readonly logger: { warn(message: string, cause?: unknown): void };
  readonly timing?: Partial<ProcessManagerTiming>;
}

/** Milliseconds. */
export interface ProcessManagerTiming {
  /** A dispatched task without a sign of life for this long is dispatched again, unless the bus holds it. */
  readonly idle: number;
  readonly sweepEvery: number;
  /** Between two looks for resources that failed documents lack. */
  readonly lookEvery: number;
}

const TIMING: ProcessManagerTiming = { idle: 60_000, sweepEvery: 15_000, lookEvery: 60_000 };
const PAGE = 1_000;
/** While the views are rebuilt: how long the end of the process may have to wait. */
const VIEWS_LOOK_MS = 1_000;
/** Questions to the bus at once during a sweep. */
const ASKED_AT_ONCE = 64;

/**
 * Reads the log and dispatches the next stage of each document on the bus. It stores nothing: all its state follows from
 * the log, so a restart, a wiped bus or a lost message only delays.
 */
export class ProcessManager {
  readonly #options: ProcessManagerOptions;
  readonly #stop = new AbortController();
  readonly #throttle: Throttle;
  readonly #timing: ProcessManagerTiming;
  readonly #resources: Resources;
  readonly #settings = new SettingsChanges();
  readonly #dispatcher: Dispatcher;
  readonly #tasks: TaskTable;
  readonly #backfill: Backfill;
  readonly #missing: MissingResources;
  #isSweeping = false;
  /** Tasks that the bus did not hold at the latest sweep. */
  #missed: ReadonlySet<Task> = new Set();
  #ended: Promise<void> | null = null;

  constructor(options: ProcessManagerOptions) {
    const { store, views, progress, bus, embedder, documents, resources, clock, load, logger } = options;
    const { signal } = this.#stop;
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#throttle = new Throttle(load);
    this.#resources = new Resources(embedder);
    const settingsAt = (organization: string) => this.#settings.of(organization);
    this.#dispatcher = new Dispatcher({ bus, clock, throttle: this.#throttle, settingsAt, logger, signal });
    this.#tasks = new TaskTable({
      dispatcher: this.#dispatcher,
      resources: this.#resources,
      clock,
      load,
      onBackfillEnded: () => this.#backfill.fetch(),
    });
    this.#backfill = new Backfill({
      ...{ store, views, progress, embedder, resources: this.#resources, logger, signal },
      tasks: this.#tasks,
      onPage: (stage, page) => {
        for (const document of page) this.#tasks.addBackfill(document, stage);
        this.#dispatcher.dispatch();
      },
    });
    this.#missing = new MissingResources({ store, views, documents, resources, clock, logger, signal });
  }

  /** Documents at each stage, backfills included. */
  queues(): readonly StageQueue[] {
    return this.#dispatcher.queues();
  }

  /** Begins once the views show what is unfinished; until then documents are accepted and wait. */
  start(): void {
    const { signal } = this.#stop;
    const sweep = setInterval(() => void this.sweep(), this.#timing.sweepEvery);
    const unwatch = this.#resources.onChange(() => this.#backfill.restart());
    this.#throttle.start(() => this.#dispatcher.dispatch());
    this.#options.bus.watchWorkers((count) => this.#dispatcher.workers(count), signal);
    signal.addEventListener('abort', () => {
      this.#throttle.stop();
      clearInterval(sweep);
      unwatch();
    });
    this.#ended = this.#run().catch((error) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Whether it was ever started: it starts once. */
  get started(): boolean {
    return this.#ended !== null;
  }

  /** Resolves when it was stopped. Rejects when the log is lost. */
  get ended(): Promise<void> {
    return this.#ended ?? Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended?.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { store, views, progress } = this.#options;
    const { signal } = this.#stop;
    const head = await store.head();
    while (!(await progress.reached(head, VIEWS_LOOK_MS))) if (signal.aborted) return;
    await this.#settings.read(store);
    for (let after: UnfinishedDocument | null = null; ; ) {
      const page = await views.unfinished({ after, limit: PAGE });
      for (const document of page) this.#tasks.resume(document);
      const last = page.at(-1);
      if (last === undefined || signal.aborted) break;
      after = last;
    }
    this.#dispatcher.dispatch();
    this.#backfill.fetch();
    this.#lookForMissing();
    const filter = { categories: ['document', SETTINGS] };
    for await (const { events } of store.subscribe({ after: head, filter, envelopesOnly: true, signal })) {
      for (const event of events) {
        this.#settings.observe(event);
        this.#tasks.observe(event);
        this.#missing.observe(event);
      }
      this.#dispatcher.dispatch();
    }
  }

  #lookForMissing(): void {
    const look = () => void this.#missing.look();
    const looking = setInterval(look, this.#timing.lookEvery);
    this.#stop.signal.addEventListener('abort', () => clearInterval(looking));
    look();
  }

  /**
   * Dispatches again what was dispatched, shows no sign of life, and is lost on the bus: two sweeps in a row did not find it
   * there. Once is not enough, because work that has just ended has left the bus before its event is read here.
   */
  async sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      const idle = this.#tasks.idleSince(this.#idleSince());
      const missing = new Set<Task>();
      while (idle.length > 0) {
        await Promise.all(idle.splice(0, ASKED_AT_ONCE).map((task) => this.#lookFor(task, missing)));
      }
      for (const task of missing) if (this.#missed.has(task)) this.#dispatchLost(task);
      this.#missed = missing;
    } catch (error) {
      this.#options.logger.warn(`The bus does not say what is in progress: ${String(error)}`, error);
    } finally {
      this.#isSweeping = false;
    }
    this.#backfill.swept();
    this.#dispatcher.dispatch();
  }

  #idleSince(): number {
    return this.#options.clock.now() - this.#timing.idle;
  }

  async #lookFor(task: Task, missing: Set<Task>): Promise<void> {
    if (!(await this.#options.bus.inProgress(patternOf(task.stage), messageOf(task)))) missing.add(task);
  }

  #dispatchLost(task: Task): void {
    // It may have advanced while the bus was asked; then it was touched, and is no longer idle.
    if (!this.#tasks.isIdle(task, this.#idleSince()) || this.#stop.signal.aborted) return;
    this.#options.logger.warn(`${task.stage.name} of ${task.id} showed no sign of life and is dispatched again`);
    if (task.isBackfill) {
      this.#tasks.drop(task);
      this.#backfill.repeat(task.stage);
    } else this.#dispatcher.move(task, task.stage);
  }
}
