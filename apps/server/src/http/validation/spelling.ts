/** Shorter names are within one slip of too many words. */
const MIN_NAME_LENGTH = 5;
/** Longer keys are not compared. */
const MAX_KEY_LENGTH = 64;

/** The names that the keys of a body or a query are compared with. */
export interface Spelling {
  /** Known names that a slip may miss, by their form without case, `_` and `-`. */
  readonly byPlainForm: ReadonlyMap<string, string>;
  /** Names that are known, here or on another route. Of other routes only those that are one slip away from a name. */
  readonly known: ReadonlySet<string>;
}

/** An unknown key that is one slip away from a known name. */
export interface Misspelling {
  readonly key: string;
  readonly meant: string;
}

/**
 * Returns what the keys of a body or a query are compared with.
 * @param own names that are known there
 * @param all names that are known on any route
 */
export function spellingOf(own: readonly string[], all: Iterable<string>): Spelling {
  const names = own.filter(({ length }) => length >= MIN_NAME_LENGTH);
  const byPlainForm = new Map(names.map((name) => [plain(name), name]));
  const near = [...all].filter((name) => nameMeantBy(name, byPlainForm) !== null);
  return { byPlainForm, known: new Set([...own, ...near]) };
}

/** Returns the first key that is not known and one slip away from a known name, or null. @param value any JSON */
export function misspellingIn(value: unknown, { byPlainForm, known }: Spelling): Misspelling | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    const meant = nameMeantBy(key, byPlainForm);
    if (meant !== null) return { key, meant };
  }
  return null;
}

function nameMeantBy(key: string, byPlainForm: Spelling['byPlainForm']): string | null {
  if (key.length > MAX_KEY_LENGTH) return null;
  const same = byPlainForm.get(plain(key));
  if (same !== undefined) return same;
  for (const name of byPlainForm.values()) if (isOneEdit(key, name)) return name;
  return null;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** Whether one letter is added, left out or replaced, or two adjacent letters are swapped. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [restA, restB] = [a.slice(start, endA), b.slice(start, endB)];
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
}
