import { parseDocumentStream } from '#documents';
import type { EventStore, RecordedEvent } from '#event-store';
import type { Clock } from '#kernel';
import type { MessageBus, WorkCause, WorkMessage } from '#message-bus';
import type { Embedder } from '#models';
import type { UnfinishedDocument, ViewsProgress, ViewsReader } from '#views';
import { type LaneLimits, Lanes } from './lanes.ts';
import { Pace } from './pace.ts';
import type { Work } from './work.ts';

/** A document that is not through, and what it waits for. */
interface Task {
  readonly key: string;
  readonly lane: string;
  readonly organization: string;
  readonly id: string;
  version: number;
  work: Work;
  state: 'waiting' | 'dispatched';
  /** How many times this work was dispatched. */
  attempt: number;
  /** When something last happened to it, milliseconds since the epoch. */
  touched: number;
  cause: WorkCause | null;
  /** Vectors for the present version have been made. */
  embedded: boolean;
  /** It was done before there was a model; only its vectors are missing, and nobody waits for it. */
  readonly late: boolean;
}

export interface ProcessManagerOptions {
  readonly store: EventStore;
  readonly views: Pick<ViewsReader, 'unfinished' | 'withoutVectors'>;
  readonly progress: ViewsProgress;
  readonly bus: MessageBus;
  readonly embedder: Embedder;
  readonly clock: Clock;
  /** Unfinished documents at which adds are refused. */
  readonly maxBacklog: number;
  readonly logger: { warn(message: string): void };
  readonly timing?: Partial<ProcessManagerTiming>;
}

/** Milliseconds. */
export interface ProcessManagerTiming {
  /** What is dispatched and shows no sign of life for this long is dispatched again, unless the bus holds it. */
  readonly idle: number;
  readonly sweepEvery: number;
}

export const patternOf = (work: Work): string => `pipeline.${work}`;

/** Later stages first: what is begun is brought to its end. */
const ORDER: readonly Work[] = ['index', 'embed', 'chunk', 'extract'];

/** In flight for each process that handles work. */
const LIMITS: Readonly<Record<Work, LaneLimits>> = {
  extract: { total: 64, perLane: 32 },
  chunk: { total: 4, perLane: 2 },
  embed: { total: 80, perLane: 40 },
  index: { total: 1024, perLane: 512 },
};

/** In flight of one stage, however many processes there are: a shared bus hands out no more before it hears of them. */
const MOST_IN_FLIGHT = 8_192;

function limitsFor(work: Work, workers: number): LaneLimits {
  const total = Math.min(LIMITS[work].total * workers, MOST_IN_FLIGHT);
  return { total, perLane: Math.min(LIMITS[work].perLane * workers, total / 2) };
}

/** Messages of a pattern that a process handles at once, on a bus that several processes share. */
export function atOnce(pattern: string): number {
  const work = ORDER.find((one) => patternOf(one) === pattern);
  return work === undefined ? 1 : LIMITS[work].total;
}

const PAGE = 1_000;
const VIEWS_WAIT_MS = 60_000;
/** While the views are rebuilt: how long the end of the process may have to wait for it. */
const VIEWS_LOOK_MS = 1_000;
const TIMING: ProcessManagerTiming = { idle: 60_000, sweepEvery: 15_000 };
/** Questions to the bus at once during a sweep. */
const ASKED_AT_ONCE = 64;
/** Pauses of the dispatch while the bus takes nothing over. */
const FIRST_BUS_PAUSE_MS = 250;
const LONGEST_BUS_PAUSE_MS = 5_000;
/** Late vectors are fetched from the views in pages, when fewer than this many wait. */
const FEW_LATE = 64;
/** Sweeps after a change of the model that look once more: another process may have learned of it later than this one. */
const LOOKS_AFTER_CHANGE = 2;

/**
 * Reads the log and dispatches the next stage of each document on the bus. It keeps nothing: all that it knows follows
 * from the log, so a restart, a wiped bus or a lost message only delays.
 */
export class ProcessManager {
  readonly #options: ProcessManagerOptions;
  readonly #tasks = new Map<string, Task>();
  readonly #lanes: Record<Work, Lanes<Task>>;
  readonly #stop = new AbortController();
  readonly #pace = new Pace();
  readonly #timing: ProcessManagerTiming;
  #late = 0;
  #lateFrom: UnfinishedDocument | null | 'done' = null;
  #fetchingLate = false;
  #looksLeft = 0;
  #sweeping = false;
  /** Set while the bus takes nothing over. */
  #busPause: NodeJS.Timeout | null = null;
  #busPauseMs = FIRST_BUS_PAUSE_MS;
  #ended: Promise<void> | null = null;

  constructor(options: ProcessManagerOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#lanes = {
      extract: new Lanes(LIMITS.extract),
      chunk: new Lanes(LIMITS.chunk),
      embed: new Lanes(LIMITS.embed),
      index: new Lanes(LIMITS.index),
    };
  }

  /** True when so much waits that adds are refused for a while. */
  full(): boolean {
    this.#pace.requested();
    return this.waiting() >= this.#options.maxBacklog;
  }

  /** Documents that are not through. */
  waiting(): number {
    return this.#tasks.size - this.#late;
  }

  /** Begins once the views show what is unfinished; until then documents are accepted and wait. */
  start(): void {
    const sweep = setInterval(() => void this.sweep(), this.#timing.sweepEvery);
    const forget = this.#options.embedder.onStatus(() => this.#modelChanged());
    this.#pace.start(() => this.#dispatch());
    this.#options.bus.watchWorkers((count) => this.#workersChanged(count), this.#stop.signal);
    this.#stop.signal.addEventListener('abort', () => {
      this.#pace.stop();
      clearInterval(sweep);
      if (this.#busPause !== null) clearTimeout(this.#busPause);
      forget();
    });
    this.#ended = this.#run().catch((error) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }

  /** Whether it was ever begun: it begins once. */
  get started(): boolean {
    return this.#ended !== null;
  }

  /** Resolves once it was stopped. Rejects when the log is lost. */
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
    for (let after: UnfinishedDocument | null = null; ; ) {
      const page = await views.unfinished({ after, limit: PAGE });
      for (const document of page) this.#resume(document);
      const last = page.at(-1);
      if (last === undefined || signal.aborted) break;
      after = last;
    }
    this.#dispatch();
    this.#fetchLate();
    const filter = { categories: ['document'] };
    for await (const { events } of store.subscribe({ after: head, filter, envelopesOnly: true, signal })) {
      for (const event of events) this.#observe(event);
      this.#dispatch();
    }
  }

  /** A document that an earlier run of the process did not finish. */
  #resume({ organization, id, tag, stage, contentVersion, updatedAt }: UnfinishedDocument): void {
    const work: Partial<Record<typeof stage, Work>> = {
      chunking: 'chunk',
      embedding: this.#afterForming(),
      indexing: 'index',
    };
    this.#await({
      ...newTask(organization, id, tag, contentVersion),
      work: work[stage] ?? 'extract',
      touched: updatedAt,
      embedded: stage === 'indexing',
    });
  }

  #observe(event: RecordedEvent): void {
    const { stream, envelope } = event;
    const name = parseDocumentStream(stream);
    if (name === null) return;
    const key = keyOf(name.organization, name.id);
    const task = this.#tasks.get(key);
    switch (envelope.type) {
      case 'DocumentAdded':
      case 'ContentAppended':
      case 'ContentReplaced':
      case 'ProcessingRestarted':
        this.#begin(key, name.id, event);
        return;
      case 'DocumentDeleted':
        this.#drop(task);
        return;
    }
    if (task === undefined || envelope.contentVersion !== task.version) return;
    task.touched = this.#options.clock.now();
    task.cause = causeOf(event);
    switch (envelope.type) {
      case 'ContentExtracted':
        this.#advance(task, 'chunk');
        break;
      case 'MemoriesFormed':
        this.#advance(task, this.#afterForming());
        break;
      case 'UnitsEmbedded':
        task.embedded = true;
        if (task.late) this.#drop(task);
        else this.#advance(task, 'index');
        break;
      case 'DocumentIndexed':
        this.#drop(task);
        if (!task.embedded && this.#modelReady())
          this.#await({ ...task, work: 'embed', attempt: 0, state: 'waiting', late: true });
        break;
      case 'ProcessingFailed':
        this.#drop(task);
        break;
    }
  }

  #begin(key: string, id: string, event: RecordedEvent): void {
    this.#drop(this.#tasks.get(key));
    const { organization, tags, contentVersion = 1 } = event.envelope;
    this.#await({
      ...newTask(organization, id, tags[0] ?? '', contentVersion),
      touched: this.#options.clock.now(),
      cause: causeOf(event),
    });
  }

  #await(task: Task): void {
    if (this.#tasks.has(task.key)) return;
    this.#tasks.set(task.key, task);
    if (task.late) this.#late += 1;
    this.#lanes[task.work].add(task);
  }

  #advance(task: Task, work: Work): void {
    this.#leave(task);
    if (task.work !== work) task.attempt = 0;
    task.work = work;
    task.state = 'waiting';
    this.#lanes[work].add(task);
  }

  #drop(task: Task | undefined): void {
    if (task === undefined || this.#tasks.get(task.key) !== task) return;
    this.#leave(task);
    this.#tasks.delete(task.key);
    if (!task.late) return;
    this.#late -= 1;
    if (this.#late < FEW_LATE) this.#fetchLate();
  }

  #leave(task: Task): void {
    if (task.state === 'dispatched') this.#lanes[task.work].release(task);
    else this.#lanes[task.work].remove(task);
  }

  #dispatch(): void {
    for (const work of ORDER) {
      while (this.#mayDispatch() && this.#lanes[work].ready() && (work !== 'extract' || this.#pace.begin())) {
        const task = this.#lanes[work].take() as Task;
        task.state = 'dispatched';
        task.attempt += 1;
        task.touched = this.#options.clock.now();
        void this.#publish(task, work);
      }
    }
  }

  #mayDispatch(): boolean {
    return !this.#stop.signal.aborted && this.#busPause === null;
  }

  /** What the bus does not take over waits for its turn again. */
  async #publish(task: Task, work: Work): Promise<void> {
    const message = messageOf(task);
    try {
      await this.#options.bus.publish(patternOf(work), message);
      if (this.#busPause === null) this.#busPauseMs = FIRST_BUS_PAUSE_MS;
    } catch (error) {
      this.#pauseDispatch(error);
      const { version, attempt, state } = task;
      const present = this.#tasks.get(task.key) === task && task.work === work && state === 'dispatched';
      if (present && version === message.contentVersion && attempt === message.attempt) this.#advance(task, work);
    }
  }

  #pauseDispatch(error: unknown): void {
    if (!this.#mayDispatch()) return;
    this.#options.logger.warn(`the bus takes no work for now, next try in ${this.#busPauseMs} ms: ${String(error)}`);
    this.#busPause = setTimeout(() => {
      this.#busPause = null;
      this.#dispatch();
    }, this.#busPauseMs);
    this.#busPauseMs = Math.min(this.#busPauseMs * 2, LONGEST_BUS_PAUSE_MS);
  }

  /** Dispatches again what was dispatched, shows no sign of life, and has got lost on the bus. Called every 15 s. */
  async sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      const idle = [...this.#tasks.values()].filter((task) => this.#isIdle(task));
      while (idle.length > 0) {
        await Promise.all(idle.splice(0, ASKED_AT_ONCE).map((task) => this.#dispatchLost(task)));
      }
    } catch (error) {
      this.#options.logger.warn(`the bus does not tell what is in progress: ${String(error)}`);
    } finally {
      this.#sweeping = false;
    }
    if (this.#lateFrom === 'done' && this.#looksLeft > 0) {
      this.#looksLeft -= 1;
      this.#lateFrom = null;
    }
    this.#fetchLate();
    this.#dispatch();
  }

  #isIdle(task: Task): boolean {
    const idleSince = this.#options.clock.now() - this.#timing.idle;
    return this.#tasks.get(task.key) === task && task.state === 'dispatched' && task.touched <= idleSince;
  }

  async #dispatchLost(task: Task): Promise<void> {
    // It may get on while the bus is asked; then it is touched, and not idle any more.
    if (await this.#options.bus.inProgress(patternOf(task.work), messageOf(task))) return;
    if (!this.#isIdle(task) || this.#stop.signal.aborted) return;
    this.#options.logger.warn(`${task.work} of ${task.id} showed no sign of life and is dispatched again`);
    if (task.late) this.#drop(task);
    else this.#advance(task, task.work);
  }

  /** Each has its hands full, and no tag has all of them. */
  #workersChanged(workers: number): void {
    for (const work of ORDER) this.#lanes[work].limit(limitsFor(work, workers));
    this.#dispatch();
  }

  #modelReady(): boolean {
    return this.#options.embedder.status().state === 'ready';
  }

  #afterForming(): Work {
    return this.#modelReady() ? 'embed' : 'index';
  }

  #modelChanged(): void {
    if (!this.#modelReady()) return;
    this.#lateFrom = null;
    this.#looksLeft = LOOKS_AFTER_CHANGE;
    this.#fetchLate();
  }

  /** Documents that became done by words alone get their vectors once there is a model, without a change of status. */
  #fetchLate(): void {
    const status = this.#options.embedder.status();
    if (status.state !== 'ready' || this.#fetchingLate || this.#lateFrom === 'done') return;
    this.#fetchingLate = true;
    this.#latePage(status.space.name)
      .then((page) => {
        for (const document of page) this.#resumeLate(document);
      })
      .catch((error) => this.#options.logger.warn(`documents without vectors could not be listed: ${String(error)}`))
      .finally(() => {
        this.#fetchingLate = false;
        this.#dispatch();
      });
  }

  async #latePage(space: string): Promise<readonly UnfinishedDocument[]> {
    const { store, progress, views } = this.#options;
    // What became done just now must not be missing from the page.
    if (!(await progress.reached(await store.head(), VIEWS_WAIT_MS))) return [];
    const after = this.#lateFrom === 'done' ? null : this.#lateFrom;
    const page = await views.withoutVectors({ space, after, limit: PAGE });
    this.#lateFrom = page.at(-1) ?? 'done';
    return page;
  }

  #resumeLate({ organization, id, tag, contentVersion }: UnfinishedDocument): void {
    this.#await({
      ...newTask(organization, id, tag, contentVersion),
      work: 'embed',
      touched: this.#options.clock.now(),
      late: true,
    });
  }
}

/** One version of a document, with all of the way before it. */
function newTask(organization: string, id: string, tag: string, version: number): Omit<Task, 'touched'> {
  return {
    key: keyOf(organization, id),
    lane: `${organization} ${tag}`,
    organization,
    id,
    version,
    work: 'extract',
    state: 'waiting',
    attempt: 0,
    cause: null,
    embedded: false,
    late: false,
  };
}

function messageOf(task: Task): WorkMessage {
  const { organization, id, version, attempt, cause } = task;
  return { organization, documentId: id, contentVersion: version, attempt, cause };
}

function causeOf({ envelope, position, revision }: RecordedEvent): WorkCause {
  const { id: eventId, correlationId, tags } = envelope;
  return { eventId, position, revision, correlationId, tags };
}

const keyOf = (organization: string, id: string): string => `${organization} ${id}`;
