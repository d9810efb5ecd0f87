import { hasCode, mnemeError } from '#platform/kernel';
import { SQLITE, sqliteCode, translateSqliteError } from '#platform/sqlite';

/** The content of the file is unusable. It is rebuilt from the log. */
export class ViewsDamagedError extends mnemeError('transient', 'views_damaged') {}

/** True if the content of the file is the reason, and not permissions, a lock or a full disk. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.corrupt || code === SQLITE.notADatabase || hasCode(error, 'views_damaged', 'entry_damaged');
}

/** Runs `work`. @throws its errors translated, damage as ViewsDamagedError */
export function translatingErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) throw new ViewsDamagedError((error as Error).message, { cause: error });
    throw translateSqliteError(error);
  }
}

/** @param stored JSON that this library wrote. @throws ViewsDamagedError */
export function parseStored(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch (error) {
    throw new ViewsDamagedError('a stored row is not JSON', { cause: error });
  }
}
