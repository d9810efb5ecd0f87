import { GroupCommit, type PendingWrite, translateSqliteError } from '#sqlite';
import type { SqliteLog } from './log.ts';
import { type Reserve, storageFault } from './reserve.ts';

/** Commits writes of the log in groups. On a full disk it rejects appends and runs erasures in the reserved space. */
export class CommitQueue extends GroupCommit {
  /** @param committed called after each commit with whether it erased something */
  constructor(log: SqliteLog, reserve: Reserve, committed: (erased: boolean) => void) {
    super({
      transaction: (work) => log.transaction(work),
      committed,
      settle: (writes, error) => {
        const full = storageFault(error);
        if (!full) return false;
        for (const write of writes) if (!write.erases) write.reject(full);
        const erasures = writes.filter((write) => write.erases);
        if (erasures.length > 0) {
          eraseWithReserve(erasures, log, reserve);
          committed(true);
        }
        return true;
      },
    });
  }
}

function eraseWithReserve(erasures: readonly PendingWrite[], log: SqliteLog, reserve: Reserve): void {
  reserve.use(() => {
    // The content of the write-ahead log may need more space than the reserve, and less once it is in the database.
    log.truncateWal();
    for (const erasure of erasures) {
      try {
        erasure.resolve(log.transaction(() => erasure.run()));
      } catch (error) {
        erasure.reject(storageFault(error) ?? translateSqliteError(error));
      }
    }
  });
}
