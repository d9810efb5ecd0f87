import type { SourceEntry } from '#platform/config';
import { err, type JsonObject, ok, type Result } from '#platform/kernel';
import type { SetupRefusal } from '../connector.ts';
import { SourceLostError } from '../errors.ts';

/** What a connection has chosen of what the operator has named. */
export interface ChosenEntry extends JsonObject {
  /** Name of the entry. */
  readonly entry: string;
  /** Below it, without slashes at its ends; empty: all of it. */
  readonly path: string;
}

export interface Choosing {
  /** Those of the settings. */
  readonly entries: readonly SourceEntry[];
  readonly organization: string;
  /** Of the metadata that names the entry. */
  readonly field: string;
}

/** Reads the entry of a field and the `path` below it. */
export function chooseEntry(metadata: JsonObject, choosing: Choosing): Result<ChosenEntry, SetupRefusal> {
  const { field } = choosing;
  const { [field]: name, path = '' } = metadata;
  const names = permitted(choosing).map((entry) => entry.name);
  if (typeof name !== 'string' || !names.includes(name)) {
    const known = names.length > 0 ? `: ${names.join(', ')}` : ', and there is none for this organization';
    return err({ field, message: `must name what the operator has opened${known}` });
  }
  const below = pathBelow(path ?? '');
  return below === null
    ? err({ field: 'path', message: 'must be a path below it like projects/2026, without . and ..' })
    : ok({ entry: name, path: below });
}

/** @throws SourceLostError if the operator has closed the entry since */
export function entryOf<T extends SourceEntry>(entries: readonly T[], organization: string, chosen: JsonObject): T {
  const found = permitted({ entries, organization }).find(({ name }) => name === chosen.entry);
  if (found !== undefined) return found as T;
  throw new SourceLostError(
    `The operator has closed ${chosen.entry}: the settings do not name it for the organization.`,
  );
}

const permitted = ({ entries, organization }: Pick<Choosing, 'entries' | 'organization'>): readonly SourceEntry[] =>
  entries.filter(({ organizations }) => organizations?.includes(organization) ?? true);

function pathBelow(path: unknown): string | null {
  if (typeof path !== 'string') return null;
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  if (trimmed === '') return '';
  const isPlain = trimmed.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return isPlain && !/[\\\0]/.test(trimmed) ? trimmed : null;
}
