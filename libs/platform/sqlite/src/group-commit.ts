import { isTransient } from '#platform/kernel';
import { translateSqliteError } from './errors.ts';
import type { SpaceReserve } from './space-reserve.ts';
import { isDiskFault } from './wal.ts';

/** Limits how long readers wait behind a commit. */
const WRITES_PER_COMMIT = 512;

interface PendingWrite {
  run(): unknown;
  /** Removes content, which has to succeed on a full disk too. */
  readonly erases: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface GroupCommitOptions {
  transaction<T>(work: () => T): T;
  /** Called after each commit with whether one of its writes erases. */
  committed?(erased: boolean): void;
  /** Disk space for writes that erase, used when the disk is full. */
  readonly reserve: Pick<SpaceReserve, 'use'>;
  /** Empties the write-ahead log, whose content may need more space than the reserve, and less once it is in the database. */
  truncate(): unknown;
  /** Translates the error of a full disk. Default: `translateSqliteError`. */
  translateFull?(error: unknown): unknown;
}

/**
 * Group commit. Writes that arrive while a commit is synced to the disk wait in the ports of the thread; the event loop
 * delivers all of them before the next commit, so one sync serves them all.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: PendingWrite[] = [];
  #isScheduled = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the result of `run` when it is durable. `run` shares a transaction with other writes, so it must check
   * its input before it writes.
   */
  add<T>(run: () => T, erases = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, erases, resolve: resolve as (result: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Commits all waiting writes. */
  flush(): void {
    while (this.#waiting.length > 0) this.#commitNext();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#commitNext();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #commitNext(): void {
    this.#commit(this.#waiting.splice(0, WRITES_PER_COMMIT));
  }

  #commit(writes: readonly PendingWrite[]): void {
    if (writes.length === 0) return;
    try {
      const results = this.#options.transaction(() => writes.map((write) => write.run()));
      for (const [i, write] of writes.entries()) write.resolve(results[i]);
      this.#options.committed?.(writes.some((write) => write.erases));
    } catch (error) {
      if (isDiskFault(error)) this.#commitErasures(writes, error);
      else this.#retry(writes, translateSqliteError(error));
    }
  }

  /** On a full disk: rejects what does not erase, and erases in the reserved space. */
  #commitErasures(writes: readonly PendingWrite[], fault: unknown): void {
    const { reserve, truncate, transaction, committed, translateFull = translateSqliteError } = this.#options;
    for (const { erases, reject } of writes) if (!erases) reject(translateFull(fault));
    const erasures = writes.filter(({ erases }) => erases);
    if (erasures.length === 0) return;
    reserve.use(() => {
      truncate();
      for (const { run, resolve, reject } of erasures) {
        try {
          resolve(transaction(run));
        } catch (error) {
          reject(isDiskFault(error) ? translateFull(error) : translateSqliteError(error));
        }
      }
    });
    committed?.(true);
  }

  #retry(writes: readonly PendingWrite[], error: unknown): void {
    // A transient error has no single write as its reason.
    if (writes.length === 1 || isTransient(error)) for (const write of writes) write.reject(error);
    else for (const write of writes) this.#commit([write]);
  }
}
