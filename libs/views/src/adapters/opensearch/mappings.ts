import { createHash } from 'node:crypto';
import { ENTRY_VERSION } from '#search';
import type { RowTable } from '../../rows.ts';
import type { Body } from './connection.ts';
import { termOf } from './terms.ts';

const term = { type: 'keyword' };
/** Kept in the source alone: any string, of any length. */
const opaque = { type: 'keyword', index: false, doc_values: false };
/** As well beside the source, which takes longer to read. */
const stored = { ...opaque, store: true };
/** Doc values alone, without an inverted index. */
const column = { type: 'keyword', index: false, doc_values: true };
const whole = { type: 'integer' };
const moment = { type: 'long' };

/** What `placed` makes; the same in both indices. */
const PLACED = {
  organization: term,
  tags: term,
  paths: term,
  facts: term,
  numbers: term,
  texts: column,
  folds: column,
};
export const PLACED_COLUMNS: readonly string[] = Object.keys(PLACED);

/**
 * Strings of callers stand hashed in the fields that are searched (`terms.ts`), and as they are in `row`, JSON text that
 * is only kept. A deleted row leaves `deletedAt` and nothing else.
 */
const DOCUMENTS = {
  ...PLACED,
  id: term,
  stage: term,
  source: term,
  customId: term,
  space: term,
  createdAt: moment,
  updatedAt: moment,
  deletedAt: moment,
  /** How many units of each kind there are, and at which revision of the document they were written. */
  chunks: whole,
  memories: whole,
  unitsRevision: { type: 'long' },
  /** Changes when something changes that unit rows repeat. */
  placedAs: opaque,
  row: stored,
};

/**
 * - `bare`, `wide`: how often each term occurs in the unit, alone and with what stands around it; `whole`, on the first
 *   unit of each kind, in the document. By the hash of the term.
 * - `info`: the row's id, and lengths, speaker and flags for the ranking (`units.ts`).
 * - `entry`, on the first unit of each kind: words and vectors of all of them, as the embedded engine scans them; a column,
 *   because scripts read it. Two fields in which vectors are searched are added for each vector space when its first
 *   document comes; their source is not kept.
 */
const UNITS = {
  ...PLACED,
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
  info: column,
  unit: stored,
  entry: { type: 'binary', doc_values: true },
};

/** One document: how far the views are, and who may say so. */
const META = {
  epoch: { type: 'long' },
  holder: opaque,
  position: opaque,
};

export type IndexName = 'documents' | 'units' | 'meta';
export const INDEX_NAMES: readonly IndexName[] = ['documents', 'units', 'meta'];

const PROPERTIES: Readonly<Record<IndexName, Body>> = { documents: DOCUMENTS, units: UNITS, meta: META };

/** Raised where rows change their meaning under the same mapping. */
const VERSION = 1;

export const shapeOf = (name: IndexName): string => hashOf([VERSION, ENTRY_VERSION, PROPERTIES[name]]);

const hashOf = (shape: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16);

/** @param space noted in the index, which keeps it under every alias */
export const mappingOf = (name: IndexName, space?: string): Body => ({
  dynamic: 'strict',
  _meta: { shape: shapeOf(name), ...(space !== undefined && { space }) },
  ...(name === 'units' && { _source: { excludes: ['bare_*', 'wide_*'] } }),
  properties: PROPERTIES[name],
});

/**
 * Rows of a read model. A row has `place` and `row`, all of it as JSON; of a stream whose rows were replaced or cleared
 * there is a row without `place` that tells which rows count (`RowIndexWriter`).
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

/** The vector fields of a space; only rows of that space have them. */
export function vectorFields(space: string): { readonly bare: string; readonly wide: string } {
  const own = termOf('space', space);
  return { bare: `bare_${own}`, wide: `wide_${own}` };
}

export function vectorMapping(space: string, dimensions: number): Body {
  const { bare, wide } = vectorFields(space);
  const field = {
    type: 'knn_vector',
    dimension: dimensions,
    data_type: 'byte',
    // Another engine than Lucene needs native code that not every installation has.
    method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil', parameters: { m: 16, ef_construction: 100 } },
  };
  return { dynamic: 'strict', properties: { [bare]: field, [wide]: field } };
}
