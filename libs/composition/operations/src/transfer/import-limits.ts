import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { hasCode, mnemeError } from '#platform/kernel';
import type { OperationsContext } from '../operation.ts';

/** The import has ended early. The same command continues it. */
export class ImportInterruptedError extends mnemeError('transient', 'import_interrupted') {}

/** Milliseconds. */
const LOOK_AGAIN_MS = 250;
const VIEWS_WAIT_MS = 1_000;
/** Documents between two looks at the backlog and the disk. */
const MOST_ROOM = 1_000;

/** Keeps an import within the limits that adds have. */
export class ImportLimits {
  readonly #context: OperationsContext;
  readonly #alone = pLimit(1);
  #room = 0;
  /** Documents that the log may not show yet. */
  #running = 0;

  constructor(context: OperationsContext) {
    this.#context = context;
  }

  /**
   * Imports one document when there is room for it.
   * @param onWait called each time it has to wait
   * @returns null: the signal aborted first
   * @throws as `add`; ImportInterruptedError if what is left of the disk is kept for deletions
   */
  async add<T>(add: () => Promise<T>, signal: AbortSignal, onWait: () => void): Promise<T | null> {
    await this.#alone(() => this.#enter(signal, onWait));
    try {
      return signal.aborted ? null : await add();
    } finally {
      this.#running -= 1;
    }
  }

  async #enter(signal: AbortSignal, onWait: () => void): Promise<void> {
    while (this.#room <= 0 && !signal.aborted) {
      await this.#assertSpace();
      this.#room = Math.min(await this.#free(), MOST_ROOM);
      if (this.#room > 0) break;
      onWait();
      await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
    this.#room -= 1;
    this.#running += 1;
  }

  /** Documents that may be added before half of the backlog is used: the other half is left to adds. */
  async #free(): Promise<number> {
    const { server, config, parts } = this.#context;
    // Nothing would shorten the backlog.
    if (server === null && config.openSearchUrl === null) return MOST_ROOM;
    const { reader, progress } = parts.views;
    const running = this.#running;
    const imported = await parts.storage.store.head();
    if (!(await progress.reached(imported, VIEWS_WAIT_MS))) return 0;
    return Math.max(1, Math.floor(config.maxBacklog / 2)) - running - (await reader.countUnfinished());
  }

  async #assertSpace(): Promise<void> {
    const { dataFolder, minFreeBytes } = this.#context.config;
    // On distributed engines there may be no folder.
    const disk = await statfs(dataFolder).catch(() => null);
    if (disk !== null && disk.bavail * disk.bsize < minFreeBytes)
      throw diskFull('what is left of it is kept for deletions');
  }
}

/** Returns what to throw in place of an error of an import. */
export const interruption = (error: unknown): unknown =>
  hasCode(error, 'no_space') ? diskFull(error.message, error) : error;

const diskFull = (reason: string, cause?: unknown): ImportInterruptedError =>
  new ImportInterruptedError(
    `The disk is full (${reason}). Free space, then run the same command again: it continues with the documents that are missing.`,
    { cause },
  );
