/** The file is damaged; a new one is rebuilt from the log. */
export class ViewsDamagedError extends Error {
  override readonly name = 'ViewsDamagedError';
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([11, 26]);
const DAMAGE_NAMES: ReadonlySet<string> = new Set(['ViewsDamagedError', 'DamagedEntryError']);

/** Whether an error comes from damage in the file, as opposed to permissions, locks or a full disk. */
export function isDamage(error: unknown): boolean {
  const { errcode = 0, name = '' } = error as { readonly errcode?: number; readonly name?: string };
  return DAMAGE_CODES.has(errcode & 0xff) || DAMAGE_NAMES.has(name);
}

/** Runs `work`. @throws ViewsDamagedError if it meets damage */
export function noticingDamage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isDamage(error) ? new ViewsDamagedError((error as Error).message, { cause: error }) : error;
  }
}

/** @param stored JSON that this library wrote. @throws ViewsDamagedError */
export function parseStored(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch (error) {
    throw new ViewsDamagedError('a stored row is no JSON', { cause: error });
  }
}
