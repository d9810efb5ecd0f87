import { isTransient } from '#kernel';
import { translateSqliteError } from '#sqlite';
import type { SqliteLog } from './log.ts';
import { type Reserve, storageFault } from './reserve.ts';

/** Writes in one transaction at the most; bounds how long readers wait behind a commit. */
const BATCH = 512;

interface Write {
  readonly run: () => unknown;
  /** A deletion must succeed even when the others have used up the space. */
  readonly erases: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit. Writes that arrive while a commit is on its way to the disk wait in the ports; when it is through, the
 * event loop hands over all of them before it comes to the next commit, so one sync serves them all.
 */
export class CommitQueue {
  readonly #log: SqliteLog;
  readonly #reserve: Reserve;
  readonly #committed: (erased: boolean) => void;
  #waiting: Write[] = [];
  #scheduled = false;

  /** @param committed called after each commit; `erased`: something was deleted by it */
  constructor(log: SqliteLog, reserve: Reserve, committed: (erased: boolean) => void) {
    this.#log = log;
    this.#reserve = reserve;
    this.#committed = committed;
  }

  /**
   * @param run inside a transaction with others; must check everything before it writes, because an error undoes the others
   * @returns what `run` returned, once it is on the disk
   */
  add<T>(run: () => T, erases = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, erases, resolve, reject });
      this.#schedule();
    });
  }

  /** Commits all that waits. */
  flush(): void {
    while (this.#waiting.length > 0) this.#commit(this.#waiting.splice(0, BATCH));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit(this.#waiting.splice(0, BATCH));
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #commit(batch: readonly Write[]): void {
    if (batch.length === 0) return;
    try {
      const results = this.#log.transaction(() => batch.map((write) => write.run()));
      for (const [i, write] of batch.entries()) write.resolve(results[i] as never);
      this.#committed(batch.some((write) => write.erases));
    } catch (error) {
      this.#refuse(batch, error);
    }
  }

  #refuse(batch: readonly Write[], error: unknown): void {
    const full = storageFault(error);
    if (full) {
      for (const write of batch) if (!write.erases) write.reject(full);
      this.#eraseWithReserve(batch.filter((write) => write.erases));
      return;
    }
    const fault = translateSqliteError(error);
    if (isTransient(fault)) {
      // No write of the batch is the reason, so none is tried alone.
      for (const write of batch) write.reject(fault);
    } else if (batch.length > 1) {
      for (const write of batch) this.#commit([write]);
    } else {
      batch[0]?.reject(fault);
    }
  }

  #eraseWithReserve(batch: readonly Write[]): void {
    if (batch.length === 0) return;
    this.#reserve.use(() => {
      // The content of the write-ahead log may need more space than the reserve, and less once it is in the database.
      this.#log.truncateWal();
      for (const write of batch) {
        try {
          write.resolve(this.#log.transaction(write.run) as never);
        } catch (error) {
          write.reject(storageFault(error) ?? translateSqliteError(error));
        }
      }
    });
    this.#committed(true);
  }
}
