import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDiskFault } from '#sqlite';
import { StorageFullError } from '../../port.ts';

const RESERVE_BYTES = 1024 * 1024;

/**
 * Space reserved for deletions, which also write: their event, and pages of the write-ahead log. On the disk it is a file
 * that is removed while a deletion needs its space; under a limit of the database's size, the limit is raised as long.
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

  /** Runs `work` while the reserved space is free. */
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
      // Random bytes, because a file system may store zeros without space.
      writeFileSync(this.#file, randomBytes(RESERVE_BYTES));
    } catch {
      // There is no space now. The next deletion tries again.
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
