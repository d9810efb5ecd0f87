import { closeSync, openSync, rmSync } from 'node:fs';
import { devNull } from 'node:os';
import { mnemeError, type ResourceCode, ResourceError, translateFileError } from '#platform/kernel';

/** Primary result codes of SQLite: the low byte of `errcode`. */
export const SQLITE = {
  busy: 5,
  locked: 6,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  notADatabase: 26,
} as const;

const CODES: ReadonlyMap<number, ResourceCode> = new Map([
  [SQLITE.busy, 'busy'],
  [SQLITE.locked, 'busy'],
  [SQLITE.ioError, 'io_error'],
  // The lock of the write-ahead log was not free for ten seconds.
  [SQLITE.protocol, 'busy'],
  [SQLITE.full, 'no_space'],
]);

/** The file of a database is damaged; the message names it and says what to do. */
class DatabaseDamagedError extends mnemeError(undefined, 'database_damaged') {}

/** Returns the primary result code of an error of `node:sqlite`, or null for any other value. */
export function sqliteCode(error: unknown): number | null {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : null;
}

/**
 * Translates an error of `node:sqlite` or `node:fs`, for adapters that own a database. Returns every other error as it is.
 * @param openFile opens and closes a file that can be opened. Default: one that always exists
 */
export function translateSqliteError(error: unknown, openFile: () => void = openNothing): unknown {
  const code = sqliteCode(error);
  if (code === null) return translateFileError(error);
  const resource = code === SQLITE.cannotOpen ? reasonOfNotOpening(openFile) : CODES.get(code);
  return resource === undefined ? error : new ResourceError(resource, (error as Error).message, { cause: error });
}

/** Returns `translateSqliteError` for a database, whose damage becomes a DatabaseDamagedError that names the file. */
export function translatingDamage(path: string, advice: string): (error: unknown) => unknown {
  return (error) => {
    const code = sqliteCode(error);
    if (code !== SQLITE.corrupt && code !== SQLITE.notADatabase)
      return translateSqliteError(error, () => createBeside(path));
    return new DatabaseDamagedError(`${path} is damaged: ${(error as Error).message}. ${advice}`, { cause: error });
  };
}

/** Runs `work`. @throws its errors, translated */
export function translatingSqlite<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error);
  }
}

/** Returns the same calls, whose errors are translated, thrown or rejected. */
export function translatingCalls<Api extends object>(
  api: Api,
  translated: (error: unknown) => unknown = translateSqliteError,
): Api {
  const translate = (error: unknown): never => {
    throw translated(error);
  };
  const calls = Object.entries(api).map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      try {
        const answer = (call as (...args: unknown[]) => unknown)(...args);
        return answer instanceof Promise ? answer.catch(translate) : answer;
      } catch (error) {
        return translate(error);
      }
    },
  ]);
  return Object.fromEntries(calls) as Api;
}

/** SQLite reports by the same code that a file is absent, and that none can be opened or created, so another is tried. */
function reasonOfNotOpening(openFile: () => void): ResourceCode | undefined {
  try {
    openFile();
    return undefined;
  } catch (error) {
    const translated = translateFileError(error);
    return translated instanceof ResourceError ? translated.code : undefined;
  }
}

function openNothing(): void {
  closeSync(openSync(devNull, 'r'));
}

/** Fails if the disk has no room for another file, which `statfs` need not show. */
function createBeside(path: string): void {
  const probe = `${path}-probe`;
  closeSync(openSync(probe, 'w'));
  rmSync(probe);
}
