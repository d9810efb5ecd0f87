import type { DatabaseSync } from 'node:sqlite';
import { GroupCommit } from './group-commit.ts';
import { SpaceReserve } from './space-reserve.ts';
import { inTransaction } from './transaction.ts';
import { logBytes, truncateWal, WalCleaner } from './wal.ts';

const MIB = 1024 * 1024;
/** Space that is reserved for erasures on a full disk, at least and at most: while a backup reads, the log has no limit. Bytes. */
const RESERVED = { least: MIB, most: 16 * MIB };

export interface ErasingCommitsOptions {
  /** How long one connection waits for another. Milliseconds. */
  readonly busyTimeout: number;
  /** Between an erasure and the truncation of the write-ahead log. Milliseconds. */
  readonly truncateDelay: number;
}

/**
 * Group commits of a database in which erased content must not stay in the write-ahead log, and can be erased on a full
 * disk. To be used in the thread that owns the writing connection.
 */
export class ErasingCommits {
  readonly #db: DatabaseSync;
  readonly #busyTimeout: number;
  readonly #reserve: SpaceReserve;
  readonly #commits: GroupCommit;
  readonly #cleaner: WalCleaner;

  /** @param path of the database; the reserve is a file beside it */
  constructor(db: DatabaseSync, path: string, { busyTimeout, truncateDelay }: ErasingCommitsOptions) {
    this.#db = db;
    this.#busyTimeout = busyTimeout;
    this.#reserve = new SpaceReserve(`${path}-reserve`);
    // As much as the write-ahead log has, so that it can be copied into the database.
    const holdReserve = () => this.#reserve.hold(Math.min(Math.max(logBytes(path), RESERVED.least), RESERVED.most));
    this.#commits = new GroupCommit({
      transaction: (work) => inTransaction(db, work),
      committed: holdReserve,
      reserve: this.#reserve,
      truncate: () => this.#truncate(),
    });
    this.#cleaner = new WalCleaner(() => this.#truncate(), truncateDelay);
    holdReserve();
    // A process that was killed may have left erased content in the log.
    this.#cleaner.request();
  }

  add<T>(work: () => T): Promise<T> {
    return this.#commits.add(work);
  }

  /** @param work returns whether it erased anything */
  async erase(work: () => boolean): Promise<void> {
    await this.#commits.add(() => {
      if (work()) this.#cleaner.request();
    }, true);
  }

  /** Writes what waits. The database stays open. */
  close(): void {
    this.#commits.flush();
    this.#cleaner.stop();
    this.#truncate();
  }

  /** Ignores errors: the next write reports a database that cannot be written. */
  #truncate(): boolean {
    const truncate = () => truncateWal(this.#db, this.#busyTimeout);
    try {
      const truncated = truncate();
      return (truncated === 'full' ? this.#reserve.use(truncate) : truncated) === 'done';
    } catch {
      return false;
    }
  }
}
