import { type InputError, invalid, type KnownFields } from '#platform/input';
import { type Misspelling, type Spelling, spellingOf } from './spelling.ts';

/** The names of the fields that any route declares, in its body, its query or its form. */
const DECLARED = new Set<string>();

const SPELLINGS = new WeakMap<KnownFields, Spelling>();

/** Remembers the names, which are not taken for slips on other routes. */
export function declareFields(...fields: readonly KnownFields[]): void {
  for (const name of fields.flatMap(Object.keys)) DECLARED.add(name);
}

/** Returns what unknown keys are compared with where these fields are known. Once all routes are declared. */
export function spellingFor(fields: KnownFields): Spelling {
  let spelling = SPELLINGS.get(fields);
  if (spelling === undefined) {
    spelling = spellingOf(Object.keys(fields), DECLARED);
    SPELLINGS.set(fields, spelling);
  }
  return spelling;
}

export const misspelt = ({ key, meant }: Misspelling): InputError =>
  invalid(key, `Unknown field ${key}. Did you mean ${meant}?`);
