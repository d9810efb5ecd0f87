import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { BUSY_MS } from './schema.ts';
import { PageScrubber, pagesInLog } from './scrub.ts';

/** Pause after an attempt that a reader blocked. Readers hold the log for the length of a search. */
const RETRY_MS = 250;
/** How long one attempt waits for readers. The writer is blocked for that time. */
const WAIT_MS = 50;
/** Bytes. A larger write-ahead log is truncated at once. */
const LARGEST_LOG = 128 * 1024 * 1024;

/**
 * Truncates the write-ahead log some time after a batch that replaced or deleted something, so that neither the log nor
 * the file holds what is gone.
 */
export class WalPurge {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #after: number;
  readonly #scrubber: PageScrubber;
  /** The last attempt was blocked. */
  #blocked = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param after milliseconds from `due()` to the truncation */
  constructor(path: string, db: DatabaseSync, after: number) {
    this.#path = path;
    this.#db = db;
    this.#after = after;
    this.#scrubber = new PageScrubber(path);
  }

  /** A batch has removed something. */
  due(): void {
    this.#runIn(this.#after);
  }

  /** Truncates a log that has grown too large. While a reader blocks it, only the timer tries again: an attempt costs more than a batch. */
  truncateLargeLog(): void {
    if (!this.#blocked && statSync(`${this.#path}-wal`).size > LARGEST_LOG) this.attempt();
  }

  attempt(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#blocked = !this.#done();
    if (this.#blocked) this.#runIn(RETRY_MS);
  }

  /** @returns false: a reader blocked it. @throws what SQLite or the file system refuses, e.g. on a full disk; nothing is lost then */
  run(): boolean {
    const pages = pagesInLog(this.#path);
    this.#db.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
    try {
      if (!this.#checkpoint('FULL')) return false;
      this.#scrubber.scrub(pages);
      // Cached pages are as they were before; written again, they would bring back what was scrubbed.
      this.#db.exec('PRAGMA shrink_memory');
      // The log is truncated last: after a crash before that, the next purge still finds its pages.
      return this.#checkpoint('TRUNCATE');
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    }
  }

  /** @param closeDatabase runs between the last attempt and the closing of the scrubber's descriptor */
  close(closeDatabase: () => void): void {
    clearTimeout(this.#timer);
    this.#done();
    closeDatabase();
    this.#scrubber.close();
  }

  /** @returns whether the checkpoint was complete */
  #checkpoint(mode: 'FULL' | 'TRUNCATE'): boolean {
    const { busy } = this.#db.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { busy: number };
    return busy === 0;
  }

  /** An attempt that failed is made again: the batches before it are stored in any case. */
  #done(): boolean {
    try {
      return this.run();
    } catch {
      return false;
    }
  }

  #runIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => this.attempt(), milliseconds).unref();
  }
}
