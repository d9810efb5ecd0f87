import type { DatabaseSync } from 'node:sqlite';
import { SpaceReserve } from '#platform/sqlite';
import { StorageFullError } from '../../errors.ts';

const RESERVE_BYTES = 1024 * 1024;

/**
 * Space reserved for deletions, which also write: their event, and pages of the write-ahead log. If the database has a size
 * limit, the limit is raised too.
 */
export class Reserve {
  readonly #db: DatabaseSync;
  readonly #space: SpaceReserve;
  readonly #pageSize: number;
  readonly #maxPages: number | undefined;

  /** @param maxBytes limit of the database file, deletions excluded */
  constructor(db: DatabaseSync, path: string, maxBytes?: number) {
    const { page_size } = db.prepare('PRAGMA page_size').get() as { page_size: number };
    this.#db = db;
    this.#space = new SpaceReserve(`${path}-reserve`);
    this.#pageSize = page_size;
    this.#maxPages = maxBytes === undefined ? undefined : Math.ceil(maxBytes / page_size);
    this.#limit(0);
    this.#space.hold(RESERVE_BYTES);
  }

  /** Runs `work` while the reserved space is free. */
  use<T>(work: () => T): T {
    this.#limit(RESERVE_BYTES);
    try {
      return this.#space.use(work);
    } finally {
      this.#limit(0);
      this.#space.hold(RESERVE_BYTES);
    }
  }

  #limit(extraBytes: number): void {
    if (this.#maxPages === undefined) return;
    this.#db.exec(`PRAGMA max_page_count = ${this.#maxPages + extraBytes / this.#pageSize}`);
  }
}

export const storageFull = (error: unknown): StorageFullError =>
  new StorageFullError(`The event store cannot write: ${(error as Error).message}`, { cause: error });
