import { GroupCommit } from '#platform/sqlite';
import type { SqliteLog } from './log.ts';
import { type Reserve, storageFull } from './reserve.ts';

/**
 * Commits writes of the log in groups. On a full disk it rejects appends and runs erasures in the reserved space.
 * @param committed called after each commit with whether it erased something
 */
export const commitQueue = (log: SqliteLog, reserve: Reserve, committed: (erased: boolean) => void): GroupCommit =>
  new GroupCommit({
    transaction: (work) => log.transaction(work),
    committed,
    reserve,
    truncate: () => log.truncateWal(),
    translateFull: storageFull,
  });
