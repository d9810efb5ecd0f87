import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#platform/kernel';
import type { Lease, Leases } from '#ports/leases';

export interface LeasedTasksOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: { error(message: string, cause?: unknown): void };
}

const PAUSE_MS = 1_000;
const FAILING_MS = 30_000;

/** Runs tasks, each under its lease. */
export class LeasedTasks {
  readonly #options: LeasedTasksOptions;
  readonly #holds = new Set<string>();
  /** Time of the last fault of each task. */
  readonly #failedAt = new Map<string, number>();

  constructor(options: LeasedTasksOptions) {
    this.#options = options;
  }

  /** Names of the leases that this process holds. */
  holds(): readonly string[] {
    return [...this.#holds].sort();
  }

  /** Tasks that ended by a fault in the last half minute and start again, here or in another process. */
  failing(): readonly string[] {
    const recently = this.#options.clock.now() - FAILING_MS;
    return [...this.#failedAt].filter(([, at]) => at > recently).map(([name]) => name);
  }

  /** Runs a task until the signal aborts; starts it again after a fault. */
  async keep(name: string, run: (held: Lease) => Promise<void>, signal: AbortSignal): Promise<void> {
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
}
