import type { Clock } from '#platform/kernel';
import type { MessageBus } from '#ports/message-bus';
import { patternOf, QUEUES } from '../stages/registry.ts';
import type { Stage } from '../stages/stage.ts';
import { FairQueue } from './fair-queue.ts';
import { limitFor } from './limits.ts';
import { messageOf, type Task } from './task.ts';
import type { Throttle } from './throttle.ts';

/** Pauses while the bus accepts nothing. Milliseconds. */
const FIRST_BUS_PAUSE_MS = 250;
const LONGEST_BUS_PAUSE_MS = 5_000;

/** Later stages first: what is begun is brought to its end. */
const ORDER: readonly Stage[] = [...QUEUES].reverse();

export interface DispatcherOptions {
  readonly bus: MessageBus;
  readonly clock: Clock;
  readonly throttle: Throttle;
  /** When the settings of an organization changed last, as work names it. */
  readonly settingsAt: (organization: string) => string | null;
  readonly logger: { warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
}

/** Documents at one stage, or in a queue beside it. */
export interface StageQueue {
  readonly stage: string;
  readonly waiting: number;
  readonly inFlight: number;
}

/** Queues tasks by stage and hands them to the bus within the limits. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queues = new Map<Stage, FairQueue<Task>>(QUEUES.map((stage) => [stage, new FairQueue(limitFor(stage, 1))]));
  /** Set while the bus accepts nothing. */
  #pause: NodeJS.Timeout | null = null;
  #pauseMs = FIRST_BUS_PAUSE_MS;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => {
      if (this.#pause !== null) clearTimeout(this.#pause);
    });
  }

  /** How many processes handle work. */
  workers(count: number): void {
    for (const [stage, queue] of this.#queues) queue.limit(limitFor(stage, count));
    this.dispatch();
  }

  queues(): readonly StageQueue[] {
    return [...this.#queues].map(([{ name }, { waiting, inFlight }]) => ({ stage: name, waiting, inFlight }));
  }

  add(task: Task): void {
    task.state = 'waiting';
    this.#queueOf(task).add(task);
  }

  remove(task: Task): void {
    if (task.state === 'dispatched') this.#queueOf(task).release(task);
    else this.#queueOf(task).remove(task);
  }

  /** Queues the task for a stage, perhaps the same one once more. */
  move(task: Task, stage: Stage): void {
    this.remove(task);
    if (task.stage !== stage) task.attempt = 0;
    task.stage = stage;
    this.add(task);
  }

  /** Queues the task again after a pause. Until then it takes no place of its stage. Milliseconds. */
  postpone(task: Task, pause: number): void {
    this.remove(task);
    task.state = 'waiting';
    const { attempt } = task;
    const requeue = () => {
      if (task.isDropped || task.state !== 'waiting' || task.attempt !== attempt) return;
      this.add(task);
      this.dispatch();
    };
    setTimeout(requeue, pause).unref();
  }

  dispatch(): void {
    const { throttle, clock } = this.#options;
    for (const stage of ORDER) {
      const queue = this.#queues.get(stage) as FairQueue<Task>;
      const admits = () => stage.after !== null || throttle.admit();
      while (this.#mayDispatch() && queue.ready() && admits()) {
        const task = queue.take() as Task;
        task.state = 'dispatched';
        task.attempt += 1;
        task.touched = clock.now();
        void this.#publish(task, stage);
      }
    }
  }

  #queueOf({ stage }: Task): FairQueue<Task> {
    return this.#queues.get(stage) as FairQueue<Task>;
  }

  #mayDispatch(): boolean {
    return !this.#options.signal.aborted && this.#pause === null;
  }

  /** What the bus does not accept waits for its turn again. */
  async #publish(task: Task, stage: Stage): Promise<void> {
    const message = { ...messageOf(task), settingsAt: this.#options.settingsAt(task.organization) };
    try {
      await this.#options.bus.publish(patternOf(stage), message);
      if (this.#pause === null) this.#pauseMs = FIRST_BUS_PAUSE_MS;
    } catch (error) {
      this.#pauseAfter(error);
      const isSame = task.stage === stage && task.state === 'dispatched' && task.attempt === message.attempt;
      if (isSame && task.progress.contentVersion === message.contentVersion && !task.isDropped) this.move(task, stage);
    }
  }

  #pauseAfter(error: unknown): void {
    if (!this.#mayDispatch()) return;
    const { logger } = this.#options;
    logger.warn(`The bus accepts no work, next try in ${this.#pauseMs} ms: ${String(error)}`, error);
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.dispatch();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_BUS_PAUSE_MS);
  }
}
