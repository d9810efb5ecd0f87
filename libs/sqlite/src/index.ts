export { SQLITE, sqliteCode, translateSqliteError, translatingCalls, translatingSqlite } from './errors.ts';
export { isDiskFault, type Truncated, truncateWal, WalCleaner } from './wal.ts';
