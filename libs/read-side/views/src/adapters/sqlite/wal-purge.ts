import type { DatabaseSync } from 'node:sqlite';
import { ResourceError } from '#platform/kernel';
import { checkpointWal, isDiskFault, logBytes, SpaceReserve } from '#platform/sqlite';
import { BUSY_MS } from './schema.ts';
import { PageScrubber, pagesInLog } from './scrub.ts';

/** Pause after an attempt that a reader blocked. Readers hold the log for the length of a search. */
const RETRY_MS = 250;
/** Pause after an attempt for which the disk had no space. */
const FULL_RETRY_MS = 1_000;
/** How long one attempt waits for readers. The writer is blocked for that time. */
const WAIT_MS = 50;

/** While it cannot be truncated, the log grows to this many times its usual limit; then nothing is written. */
const BLOCKED_FACTOR = 3;

export interface WalPurgeOptions {
  readonly path: string;
  readonly db: DatabaseSync;
  /** Milliseconds from `due()` to the truncation. */
  readonly after: number;
  /** A longer log is truncated at once. Bytes. */
  readonly longest: number;
  /** False: another process reserves space for it. */
  readonly reserves: boolean;
}

/**
 * Truncates the write-ahead log: some time after a batch that replaced or deleted something, so that neither the log nor
 * the file holds what is gone; at once when it is large; and when the disk is full. Reserves as much space as the log
 * has, so that its content can be moved into the file on a full disk too.
 */
export class WalPurge {
  readonly #options: WalPurgeOptions;
  readonly #scrubber: PageScrubber;
  readonly #reserve: SpaceReserve | null;
  /** The last attempt failed. */
  #blocked = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WalPurgeOptions) {
    this.#options = options;
    this.#scrubber = new PageScrubber(options.path);
    this.#reserve = options.reserves ? new SpaceReserve(`${options.path}-reserve`) : null;
  }

  /** A batch has removed something. */
  due(): void {
    this.#runIn(this.#options.after);
  }

  /** @throws ResourceError if the log is too long and cannot be truncated, e.g. while a reader holds it */
  checkLength(): void {
    if (!this.#blocked || this.#length <= this.#options.longest * BLOCKED_FACTOR) return;
    this.attempt();
    if (this.#blocked)
      throw new ResourceError('busy', 'The write-ahead log of the views is long and cannot be truncated');
  }

  /**
   * Truncates a log that has grown too large, or for which no space can be reserved. While a reader blocks it, only the timer
   * tries again: an attempt costs more than a batch.
   */
  written(): void {
    if (this.#blocked) return;
    const bytes = this.#length;
    if (bytes > this.#options.longest || this.#reserve?.hold(bytes) === false) this.attempt();
  }

  /** For a batch that found the disk full: empties the log, which may make room for it. @returns whether it did */
  makeRoom(): boolean {
    if (this.#length === 0) return false;
    this.attempt();
    return !this.#blocked;
  }

  attempt(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#blocked = true;
    try {
      this.#blocked = !this.run();
      if (this.#blocked) this.#runIn(RETRY_MS);
    } catch {
      // The batches before it are stored in any case.
      this.#runIn(FULL_RETRY_MS);
    }
  }

  /** @returns false: a reader blocked it. @throws what SQLite or the file system refuses, e.g. on a full disk; nothing is lost then */
  run(): boolean {
    try {
      return this.#truncate();
    } catch (error) {
      if (!isDiskFault(error) || this.#reserve === null) throw error;
      return this.#reserve.use(() => this.#truncate());
    }
  }

  /** @param closeDatabase runs between the last attempt and the closing of the scrubber's descriptor */
  close(closeDatabase: () => void): void {
    this.attempt();
    clearTimeout(this.#timer);
    closeDatabase();
    this.#scrubber.close();
    this.#reserve?.release();
  }

  get #length(): number {
    return logBytes(this.#options.path);
  }

  #truncate(): boolean {
    const { path, db } = this.#options;
    const pages = pagesInLog(path);
    db.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
    try {
      if (!checkpointWal(db, 'FULL')) return false;
      this.#scrubber.scrub(pages);
      // Cached pages are as they were before; written again, they would bring back what was scrubbed.
      db.exec('PRAGMA shrink_memory');
      // The log is truncated last: after a crash before that, the next purge still finds its pages.
      return checkpointWal(db, 'TRUNCATE');
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    }
  }

  #runIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => this.attempt(), milliseconds).unref();
  }
}
