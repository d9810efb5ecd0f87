import { type ConnectionDocuments, runConnections } from '#features/connections/sync';
import { FILE_BYTES } from '#platform/fetch';
import { Scratch } from '#platform/kernel';
import type { Connector } from '#ports/connectors';
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

/** What connections to sources work with. */
export interface ConnectionWork {
  readonly connectors: ReadonlyMap<string, Connector>;
  readonly documents: ConnectionDocuments;
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

  /** Starts to dispatch work, so the handlers on the bus must exist, and the keys must be read. */
  start(connections: ConnectionWork): void {
    const needed = TASKS.filter(({ isNeeded }) => isNeeded?.(this.#options.parts) ?? true);
    const { signal } = this.#stopping;
    const tasks = needed.map(({ name, run }) => this.#tasks.keep(name, (held) => run(this.#options, held), signal));
    this.#running = [...tasks, this.#connect(connections, signal)];
  }

  /** Stops dispatching. Running stages are abandoned when the bus closes. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  /** Each connection has a lease of its own, so that several processes share them. */
  async #connect(work: ConnectionWork, signal: AbortSignal): Promise<void> {
    const { parts, leases, clock, logger } = this.#options;
    const { storage, connections, secrets, views, keys } = parts;
    const scratch = new Scratch(storage.files.scratch);
    try {
      await runConnections({
        ...{ ...work, store: storage.store, connections, secrets, views, leases, scratch, clock, logger, signal },
        maxBytes: FILE_BYTES,
        isActive: (organization) => keys.organizations.stateOf(organization) === 'active',
      });
    } finally {
      await scratch.close();
    }
  }

  /** Call it after the bus has ended. Ends child processes at once. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    await this.pipeline.close();
  }
}
