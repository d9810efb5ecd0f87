import type { Lease, Leases } from '#ports/leases';
import type { Pipeline, StagesActivity } from '#processing/pipeline';
import type { TaskContext } from './leased-task.ts';
import { LeasedTasks } from './leased-tasks.ts';
import { TASKS } from './registry.ts';
import { projection } from './tasks/projection.task.ts';

export interface BackgroundOptions extends TaskContext {
  readonly pipeline: Pipeline;
  readonly leases: Leases;
}

/** What a process does in the background. */
export interface WorkReport extends StagesActivity {
  /** Names of the leases that it holds. */
  readonly holds: readonly string[];
  /** Leased tasks that ended by a fault in the last half minute and start again, here or in another process. */
  readonly failing: readonly string[];
}

/** The work behind the API of one process: the stages, and the tasks that it does when it holds their leases. */
export class Background {
  readonly #options: BackgroundOptions;
  readonly #tasks: LeasedTasks;
  readonly #stopping = new AbortController();
  readonly #closing = new AbortController();
  #running: readonly Promise<void>[] = [];
  #following: Promise<void> = Promise.resolve();

  constructor(options: BackgroundOptions) {
    this.#options = options;
    this.#tasks = new LeasedTasks(options);
  }

  get pipeline(): Pipeline {
    return this.#options.pipeline;
  }

  report(): WorkReport {
    return { ...this.pipeline.stages.activity, holds: this.#tasks.holds(), failing: this.#tasks.failing() };
  }

  /** Starts the projection. */
  follow(): void {
    const run = (held: Lease) => projection.run(this.#options, held);
    this.#following = this.#tasks.keep(projection.name, run, this.#closing.signal);
  }

  /** Starts to dispatch work, so the handlers on the bus must exist. */
  start(): void {
    const needed = TASKS.filter(({ isNeeded }) => isNeeded?.(this.#options.parts) ?? true);
    const { signal } = this.#stopping;
    this.#running = needed.map(({ name, run }) => this.#tasks.keep(name, (held) => run(this.#options, held), signal));
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
    await this.pipeline.close();
  }
}
