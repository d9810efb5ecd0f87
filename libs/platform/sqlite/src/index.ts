export { ErasingCommits } from './erasing-commits.ts';
export {
  SQLITE,
  sqliteCode,
  translateSqliteError,
  translatingCalls,
  translatingDamage,
  translatingSqlite,
} from './errors.ts';
export { GroupCommit } from './group-commit.ts';
export { type CopyApi, copyDatabase, copyDatabaseFile, type OnCopied, OnlineCopies } from './online-copies.ts';
export { openErasingDatabase } from './open-erasing-database.ts';
export { SpaceReserve } from './space-reserve.ts';
export { inTransaction } from './transaction.ts';
export { checkpointWal, isDiskFault, logBytes, type TruncationResult, truncateWal, WalCleaner } from './wal.ts';
