import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isTransient } from '#platform/kernel';
import { SQLITE, sqliteCode, translateSqliteError } from './errors.ts';

/** `busy`: another connection uses the log. `full`: the disk has no space to copy the log into the database. */
export type TruncationResult = 'done' | 'busy' | 'full';

/** Returns the length of the write-ahead log of a database. */
export const logBytes = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

/** Copies the write-ahead log into the database. Returns false if a reader or a writer prevents a part of it. */
export function checkpointWal(db: DatabaseSync, mode: 'FULL' | 'TRUNCATE'): boolean {
  const { busy } = db.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { busy: number };
  return busy === 0;
}

/**
 * Copies the write-ahead log into the database and empties it. Does not wait for readers, which would block every write.
 * @param busyTimeout of the connection, restored afterwards. Milliseconds.
 */
export function truncateWal(db: DatabaseSync, busyTimeout: number): TruncationResult {
  db.exec('PRAGMA busy_timeout = 0');
  try {
    return checkpointWal(db, 'TRUNCATE') ? 'done' : 'busy';
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
   * @param delayMs between a request and the truncation, so that erasures in a row share one. Milliseconds.
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
