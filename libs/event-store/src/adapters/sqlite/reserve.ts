import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDiskFault } from '#sqlite';
import { StorageFullError } from '../../port.ts';

const RESERVE_BYTES = 1024 * 1024;

/**
 * Space kept back for deletions, which also write: the event that tells of them, and pages of the write-ahead log. On the
 * disk it is a file that is given up for as long as a deletion needs its room; under a limit of the database's size, a
 * limit that is raised for as long.
 */
export class Reserve {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #pageSize: number;
  readonly #maxPages: number | undefined;

  /** @param maxBytes the database file grows no further, deletions apart */
  constructor(db: DatabaseSync, path: string, maxBytes?: number) {
    const { page_size } = db.prepare('PRAGMA page_size').get() as { page_size: number };
    this.#db = db;
    this.#file = `${path}-reserve`;
    this.#pageSize = page_size;
    this.#maxPages = maxBytes === undefined ? undefined : Math.ceil(maxBytes / page_size);
    this.#limit(0);
    this.#fill();
  }

  /** Runs `work` with the reserve at its disposal. */
  use<T>(work: () => T): T {
    rmSync(this.#file, { force: true });
    this.#limit(RESERVE_BYTES);
    try {
      return work();
    } finally {
      this.#limit(0);
      this.#fill();
    }
  }

  #fill(): void {
    try {
      // Random bytes, for a file system may store zeros in no space at all.
      writeFileSync(this.#file, randomBytes(RESERVE_BYTES));
    } catch {
      // No room for it now: the next deletion tries again.
    }
  }

  #limit(extraBytes: number): void {
    if (this.#maxPages === undefined) return;
    this.#db.exec(`PRAGMA max_page_count = ${this.#maxPages + extraBytes / this.#pageSize}`);
  }
}

/** Returns null for an error that more room would not prevent. */
export function storageFault(error: unknown): StorageFullError | null {
  if (!isDiskFault(error)) return null;
  return new StorageFullError(`The event store cannot write: ${(error as Error).message}`, { cause: error });
}
