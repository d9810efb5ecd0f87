import { createHash } from 'node:crypto';
import { ENTRY_VERSION } from '#features/search';
import type { RowTable } from '../../rows.ts';
import type { Body } from './connection.ts';
import { termOf } from './term.ts';

const term = { type: 'keyword' };
/** Only in the source; any string of any length. */
const opaque = { type: 'keyword', index: false, doc_values: false };
/** Also stored outside of the source, which is slower to read. */
const stored = { ...opaque, store: true };
/** Doc values without an inverted index. */
const column = { type: 'keyword', index: false, doc_values: true };
const whole = { type: 'integer' };
const moment = { type: 'long' };

/** Fields of {@link FilterTerms}, the same in both indices. */
const FILTERED = {
  organization: term,
  tags: term,
  paths: term,
  facts: term,
  numbers: term,
  texts: column,
  folds: column,
};
export const FILTER_COLUMNS: readonly string[] = Object.keys(FILTERED);

/**
 * Searched fields hold strings of callers as hashes (`terms.ts`); `row` holds them as they are, in JSON that is only
 * stored. A deleted row keeps `deletedAt` and nothing else.
 */
const DOCUMENTS = {
  ...FILTERED,
  id: term,
  stage: term,
  source: term,
  customId: term,
  space: term,
  createdAt: moment,
  updatedAt: moment,
  deletedAt: moment,
  /** Number of units of each kind, and the revision of the document at which they were written. */
  chunks: whole,
  memories: whole,
  storedBytes: { type: 'long' },
  unitsRevision: { type: 'long' },
  /** Changes when something changes that unit rows repeat. */
  placedAs: opaque,
  row: stored,
};

/**
 * - `bare`, `wide`: term counts of the unit, alone and with its context; `whole`, on the first unit of each kind: of
 *   the document, or, on the first units, each a part of its terms (`document-words.ts`). By the hash of the term.
 * - `statement`: by which memories that say the same are found, whatever their tags.
 * - `info`: id of the row, lengths, speaker and flags for the ranking, and the number of those parts (`units.ts`).
 * - `entry`, on the first unit of each kind: words and vectors of all units, as the embedded engine scans them; a
 *   column, because scripts read it. Two fields in which vectors are searched are added for each vector space with its
 *   first document; their source is not stored.
 */
const UNITS = {
  ...FILTERED,
  document: term,
  kind: term,
  ordinal: whole,
  space: term,
  unitsRevision: { type: 'long' },
  deletedAt: moment,
  bare: { type: 'rank_features' },
  wide: { type: 'rank_features' },
  whole: { type: 'rank_features' },
  bareLength: whole,
  wideLength: whole,
  wholeLength: whole,
  speaker: term,
  statement: term,
  info: column,
  unit: stored,
  entry: { type: 'binary', doc_values: true },
};

/**
 * The checkpoint with the fencing token of its writer, and in the same fields the records of read models (`model-
 * record.ts`).
 */
const META = {
  epoch: { type: 'long' },
  holder: opaque,
  position: opaque,
};

export type IndexName = 'documents' | 'units' | 'meta';
export const INDEX_NAMES: readonly IndexName[] = ['documents', 'units', 'meta'];

const PROPERTIES: Readonly<Record<IndexName, Body>> = { documents: DOCUMENTS, units: UNITS, meta: META };

/** Raised when rows change their meaning under the same mapping. */
const VERSION = 2;

export const shapeOf = (name: IndexName): string => hashOf([VERSION, ENTRY_VERSION, PROPERTIES[name]]);

const hashOf = (shape: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16);

/** @param space stored in the index, which keeps it under every alias */
export const mappingOf = (name: IndexName, space?: string): Body => ({
  dynamic: 'strict',
  _meta: { shape: shapeOf(name), ...(space !== undefined && { space }) },
  ...(name === 'units' && { _source: { excludes: ['bare_*', 'wide_*'] } }),
  properties: PROPERTIES[name],
});

/**
 * Rows of a read model. A row has `place`, and `row` with all of it as JSON. A stream whose rows were replaced or
 * cleared has a row without `place` that says which rows count (`row-changes.ts`).
 */
const ROWS = {
  stream: term,
  revision: { type: 'long' },
  place: whole,
  organization: term,
  tags: term,
  deletedAt: moment,
  row: opaque,
  floor: { type: 'long' },
  count: whole,
  more: { type: 'boolean' },
};

export const columnField = (column: string): string => `column_${column}`;

function rowProperties({ columns }: RowTable): Body {
  const own = Object.entries(columns).map(([name, type]) => [
    columnField(name),
    type === 'text' ? term : { type: 'double' },
  ]);
  return { ...ROWS, ...Object.fromEntries(own) };
}

export const rowShapeOf = (table: RowTable): string => hashOf([table.version, rowProperties(table)]);

export const rowMappingOf = (table: RowTable): Body => ({
  dynamic: 'strict',
  _meta: { shape: rowShapeOf(table) },
  properties: rowProperties(table),
});

/** The fields in which the vectors of a unit are searched. */
export interface VectorFields {
  readonly bare: string;
  readonly wide: string;
  /** The values of all vectors of a unit that has several; `bare` is their mean then. */
  readonly all: string;
  /** On the first unit of each kind of documents whose second space it is: words and these vectors of all units, like `entry`. */
  readonly entry: string;
}

/** Returns the vector fields of a space; only rows of that space, or with it as their second one, have them. */
export const vectorFields = (space: string): VectorFields => fieldsOf(termOf('space', space));

const ENTRY = 'entry_';

/** Returns the vector fields of the second space of a row by the names of its fields; null: it has no entry of one. */
export function secondFields(names: readonly string[]): VectorFields | null {
  const entry = names.find((name) => name.startsWith(ENTRY));
  return entry === undefined ? null : fieldsOf(entry.slice(ENTRY.length));
}

function fieldsOf(own: string): VectorFields {
  // None of these but the entry is in the stored source: see `mappingOf`.
  return { bare: `bare_${own}`, wide: `wide_${own}`, all: `bare_${own}_all`, entry: ENTRY + own };
}

export function vectorMapping(space: string, dimensions: number): Body {
  const { bare, wide, all, entry } = vectorFields(space);
  const field = {
    type: 'knn_vector',
    dimension: dimensions,
    data_type: 'byte',
    // Other engines than Lucene need native code that not every installation has.
    method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil', parameters: { m: 16, ef_construction: 100 } },
  };
  const binary = { type: 'binary', doc_values: true };
  return {
    dynamic: 'strict',
    properties: { [bare]: field, [wide]: field, [all]: binary, [entry]: binary },
  };
}
