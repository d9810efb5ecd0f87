export {
  SQLITE,
  sqliteCode,
  translateSqliteError,
  translatingCalls,
  translatingDamage,
  translatingSqlite,
} from './errors.ts';
export { GroupCommit, type PendingWrite } from './group-commit.ts';
export { type CopyApi, copyDatabase, type OnCopied, OnlineCopies } from './online-copies.ts';
export { inTransaction } from './transaction.ts';
export { checkpointWal, isDiskFault, type Truncated, truncateWal, WalCleaner } from './wal.ts';
