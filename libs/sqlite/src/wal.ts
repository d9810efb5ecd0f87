import type { DatabaseSync } from 'node:sqlite';
import { isTransient } from '#kernel';
import { SQLITE, sqliteCode, translateSqliteError } from './errors.ts';

/** `busy`: something holds the log for now. `full`: the disk has no room to bring the log into the database. */
export type Truncated = 'done' | 'busy' | 'full';

/**
 * Brings the write-ahead log into the database and empties it. Never waits for readers, which would hold up every write.
 * @param busyTimeout of the connection, restored afterwards. Milliseconds.
 */
export function truncateWal(db: DatabaseSync, busyTimeout: number): Truncated {
  db.exec('PRAGMA busy_timeout = 0');
  try {
    const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
    return busy === 0 ? 'done' : 'busy';
  } catch (error) {
    if (isDiskFault(error)) return 'full';
    if (isTransient(translateSqliteError(error))) return 'busy';
    throw error;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
  }
}

/** SQLite reports a full disk as an I/O error where it cannot extend its shared memory. */
export function isDiskFault(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.full || code === SQLITE.ioError;
}

/**
 * Empties the write-ahead log soon after an erasure, because it holds the erased words until then. Retries for as long as
 * a reader of the file (a backup) is in the way.
 */
export class WalCleaner {
  readonly #truncate: () => boolean;
  readonly #delayMs: number;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param truncate false: could not, try again
   * @param delayMs between a request and the truncation, so that erasures that follow each other share one. Milliseconds.
   */
  constructor(truncate: () => boolean, delayMs: number) {
    this.#truncate = truncate;
    this.#delayMs = delayMs;
  }

  request(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#truncate()) this.request();
    }, this.#delayMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
