import { evolveProgress, NEW_VERSIONS, OPENINGS, type Progress, parseDocumentStream } from '#features/documents';
import type { Clock } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import type { UnfinishedDocument } from '#read-side/views';
import type { Load } from '../load.ts';
import { nextBackfill, nextStage, progressOfRow } from '../next-stage.ts';
import type { Resources } from '../resources.ts';
import { STAGES } from '../stages/registry.ts';
import type { Stage } from '../stages/stage.ts';
import type { Dispatcher } from './dispatcher.ts';
import { callerOf, causeOf, Task } from './task.ts';
import { TasksById } from './tasks-by-id.ts';

/** Begin a version of the content, or its processing. */
const BEGINNINGS: ReadonlySet<string> = new Set([...OPENINGS, ...NEW_VERSIONS]);

export interface TaskTableOptions {
  readonly dispatcher: Dispatcher;
  readonly resources: Resources;
  readonly clock: Clock;
  readonly load: Load;
  /** A backfill left the table. */
  readonly onBackfillEnded: () => void;
}

/** The documents that wait for a stage, and how events move them from one stage to the next. */
export class TaskTable {
  readonly #options: TaskTableOptions;
  readonly #tasks = new TasksById();
  /** Documents whose tasks ended since a list of backfills was begun. Null: none is being read. */
  #ended: Set<string> | null = null;
  #backfills = 0;

  constructor(options: TaskTableOptions) {
    this.#options = options;
    this.#count();
  }

  get backfills(): number {
    return this.#backfills;
  }

  /** Those that were dispatched and have shown no sign of life since a time. */
  idleSince(time: number): Task[] {
    return this.#tasks.filter((task) => this.isIdle(task, time));
  }

  isIdle(task: Task, since: number): boolean {
    return !task.isDropped && task.state === 'dispatched' && task.touched <= since;
  }

  /** Adds a document that an earlier run of the process did not finish. */
  resume(document: UnfinishedDocument): void {
    const progress = progressOfRow(document, STAGES);
    const stage = nextStage(progress, STAGES, this.#options.resources.isAvailable);
    const caller = callerOf(document.organization);
    if (stage !== null) this.#add(new Task({ ...document, caller, progress, stage, touched: document.updatedAt }));
  }

  /** Call it before documents are listed for `addBackfill`, and `endList` when they have been added. */
  beginList(): void {
    this.#ended = new Set();
  }

  endList(): void {
    this.#ended = null;
  }

  /**
   * Adds a document that is done and lacks the result of a backfill. One whose task ended since the list was begun is left to
   * the next list: this one may show it as it was before, and its stage would record nothing that ends another task.
   */
  addBackfill(document: UnfinishedDocument, stage: Stage): void {
    if (this.#ended?.has(keyOf(document))) return;
    const present = this.#tasks.get(document);
    if (present !== undefined) {
      // It follows after the present backfill.
      if (present.isBackfill && present.stage !== stage) present.progress = lacking(present.progress, stage);
      return;
    }
    const recorded = STAGES.map(({ status }) => status).filter((status) => status !== stage.status);
    const progress: Progress = { stage: 'done', contentVersion: document.contentVersion, recorded };
    const touched = this.#options.clock.now();
    const caller = callerOf(document.organization);
    this.#add(new Task({ ...document, caller, progress, stage, touched, isBackfill: true }));
  }

  /** Moves the document of an event to its next stage. */
  observe(event: RecordedEvent): void {
    const { stream, envelope } = event;
    const name = parseDocumentStream(stream);
    if (name === null) return;
    const task = this.#tasks.get(name);
    if (BEGINNINGS.has(envelope.type)) this.#begin(task, name.id, event);
    else if (envelope.type === 'DocumentDeleted') this.drop(task);
    else if (task === undefined || envelope.contentVersion !== task.progress.contentVersion) return;
    else if (envelope.type === 'FetchDelayed') this.#options.dispatcher.postpone(task, envelope.sizes?.pause ?? 0);
    else if (envelope.type === 'ExtractionDeferred') this.#defer(task, event);
    else this.#advance(task, event);
  }

  drop(task: Task | undefined): void {
    if (task === undefined || task.isDropped) return;
    this.#options.dispatcher.remove(task);
    this.#tasks.delete(task);
    this.#ended?.add(keyOf(task));
    task.isDropped = true;
    if (task.isBackfill) this.#backfills -= 1;
    this.#count();
    if (!task.isBackfill) return;
    this.#options.onBackfillEnded();
  }

  #begin(former: Task | undefined, id: string, event: RecordedEvent): void {
    const { organization, actor, tags, sizes } = event.envelope;
    const progress = evolveProgress(former?.progress ?? null, event.envelope);
    const { resources, clock } = this.#options;
    this.drop(former);
    const stage = nextStage(progress, STAGES, resources.isAvailable);
    if (progress === null || stage === null) return;
    const size = sizes?.bytes ?? sizes?.characters ?? former?.size ?? 0;
    const tag = tags[0] ?? '';
    const caller = callerOf(organization, actor);
    const [touched, cause] = [clock.now(), causeOf(event)];
    this.#add(new Task({ organization, id, tag, caller, size, progress, stage, touched, cause }));
  }

  #advance(task: Task, event: RecordedEvent): void {
    const { dispatcher, resources, clock } = this.#options;
    task.progress = evolveProgress(task.progress, event.envelope) ?? task.progress;
    task.touched = clock.now();
    task.cause = causeOf(event);
    const next = nextStage(task.progress, STAGES, resources.isAvailable);
    // A stage that was skipped for want of its resource does not interrupt the one under way when the resource comes.
    const isUnderWay = next === null ? false : !task.progress.recorded.includes(task.stage.status);
    if (next !== null) {
      if (!isUnderWay && next !== task.stage) dispatcher.move(task, next);
      return;
    }
    const backfill = nextBackfill(task.progress, STAGES, resources.isAvailable);
    if (task.isBackfill && backfill === task.stage) return;
    this.drop(task);
    if (backfill !== null) {
      const { organization, id, caller, size, progress, cause } = task;
      const tag = event.envelope.tags[0] ?? '';
      const touched = clock.now();
      const options = { organization, id, tag, caller, size, progress, stage: backfill, touched, cause };
      this.#add(new Task({ ...options, isBackfill: true }));
    }
  }

  #defer(task: Task, event: RecordedEvent): void {
    const queue = task.stage.queues?.find(({ name }) => name === event.envelope.code);
    // It waits there already.
    if (queue === undefined) return;
    task.touched = this.#options.clock.now();
    task.cause = causeOf(event);
    this.#options.dispatcher.move(task, queue);
  }

  #add(task: Task): void {
    if (this.#tasks.get(task) !== undefined) return;
    this.#tasks.add(task);
    if (task.isBackfill) this.#backfills += 1;
    this.#count();
    this.#options.dispatcher.add(task);
  }

  #count(): void {
    this.#options.load.unfinished = this.#tasks.size - this.#backfills;
  }
}

const keyOf = ({ organization, id }: Pick<Task, 'organization' | 'id'>): string => `${organization} ${id}`;

const lacking = (progress: Progress, { status }: Stage): Progress => ({
  ...progress,
  recorded: progress.recorded.filter((one) => one !== status),
});
