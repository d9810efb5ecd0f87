import type { Location } from '#platform/kernel';
import type { DocumentRow, Stage, Unit } from '../../documents.ts';
import { STAGES } from '../../documents.ts';
import { fromColumn, fromColumnOrNull } from '../../text.ts';
import { parseStored } from './damage.ts';
import { kindOf } from './numbers.ts';

export const stageNumber = (stage: Stage): number => STAGES.indexOf(stage);

/** JSON escapes lone surrogates, so that both columns hold any string. */
export function rowColumns({ metadata, frontMatter, ...row }: DocumentRow): {
  readonly row: string;
  readonly metadata: string | null;
} {
  const compared: Compared = { ...(metadata !== null && { metadata }), ...(frontMatter && { frontMatter }) };
  const isNothing = Object.keys(compared).length === 0;
  return { row: JSON.stringify(row), metadata: isNothing ? null : JSON.stringify(compared) };
}

/** What filters compare. */
type Compared = Partial<Pick<DocumentRow, 'metadata' | 'frontMatter'>>;

/** Fields that hold text of callers; the others may change without a purge. */
const WORDS = ['customId', 'title', 'summary', 'url', 'source', 'filepath', 'author', 'canonicalUrl'] as const;

/** @param before the row as it was stored */
export function losesWords(before: string, after: DocumentRow): boolean {
  const stored = parseStored(before) as DocumentRow;
  return WORDS.some((name) => stored[name] !== null && stored[name] !== after[name]);
}

export function rowFromColumns(row: string, metadata: string | null): DocumentRow {
  const rest = parseStored(row) as Omit<DocumentRow, keyof Compared>;
  return { ...rest, metadata: null, ...(metadata !== null && (parseStored(metadata) as Compared)) };
}

/** Columns of `units`, in this order. `location`: JSON. */
export const UNIT_COLUMNS = 'kind, ordinal, id, text, speaker, location';
export type UnitColumns = readonly [
  kind: number,
  ordinal: number,
  id: string,
  text: string,
  speaker: string | null,
  location: string | null,
];

export function unitFromColumns([kind, ordinal, id, text, speaker, location]: UnitColumns): Unit {
  return {
    id: fromColumn(id),
    kind: kindOf(kind),
    ordinal,
    text: fromColumn(text),
    speaker: fromColumnOrNull(speaker),
    ...(location !== null && { location: parseStored(location) as Location }),
  };
}

/** JSON escapes lone surrogates, so that the column holds any string. */
export const locationColumn = ({ location }: Unit): string | null =>
  location === undefined ? null : JSON.stringify(location);

/** Returns the tags of a document as the set that identifies its partition. */
export function tagSet(tags: readonly string[]): string[] {
  return tags.length === 1 ? [...tags] : [...new Set(tags)].sort();
}
