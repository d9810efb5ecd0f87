import type { DatabaseSync } from 'node:sqlite';
import type { Filter } from '#features/search';
import type { DocumentListQuery } from '../../queries.ts';
import { type Equality, splitEqualities } from './facts.ts';
import { allOf, filterToSql, type Sql } from './filters.ts';
import { listConditions, orderOf } from './lists.ts';
import { PLACES } from './numbers.ts';
import { ofHeld, type Partition, partitionsHolding } from './scope.ts';

/** Rows with one of the values in a column of `metadata`. */
interface Lookup {
  readonly column: 'fact' | 'folded_fact';
  readonly values: readonly bigint[];
}

/**
 * Share of an organization's documents. If an equality is met by fewer, the others are looked up for each of these; else all
 * are read whole and intersected, which takes a third of the time for each document.
 */
const FEW = 1 / 16;

/**
 * Returns all documents of a list whose filter demands equalities, in the order of its pages, found by an index. Null:
 * there is no equality, or the tags of the scope have fewer documents than meet any of them.
 */
export function numbersByEqualities(
  db: DatabaseSync,
  query: DocumentListQuery,
  scoped: readonly Partition[],
): readonly number[] | null {
  const partitions = partitionsHolding(scoped, query.holds);
  if (query.filter === null || partitions.length === 0) return null;
  const { equalities, rest } = splitEqualities(query.scope.organization, query.filter);
  if (equalities.length === 0) return null;
  const all = equalities.map(lookupsOf);
  const isWhole = query.scope.tags === 'all';
  const documents = documentsIn(partitions);
  const rarest = rarestOf(db, all, isWhole ? Math.ceil(documents * FEW) : documents);
  if (rarest === null && !isWhole) return null;
  return numbersOf(db, query, partitions, rarest === null ? intersected(all) : narrowed(rarest, all), rest);
}

const documentsIn = (partitions: readonly Partition[]): number =>
  partitions.reduce((sum, { documents }) => sum + documents, 0);

/** Returns the equality that the fewest documents meet. Null: none is met by fewer than the limit. */
function rarestOf(
  db: DatabaseSync,
  equalities: readonly (readonly Lookup[])[],
  limit: number,
): readonly Lookup[] | null {
  let fewest = limit;
  let rarest: readonly Lookup[] | null = null;
  for (const lookups of equalities) {
    const found = documentsOf(lookups);
    const counted = db.prepare(`SELECT count(*) AS rows FROM (${found.sql} LIMIT ?)`).get(...found.params, fewest);
    const { rows } = counted as { rows: number };
    if (rows >= fewest) continue;
    fewest = rows;
    rarest = lookups;
  }
  return rarest;
}

function lookupsOf({ facts, foldedFact }: Equality): Lookup[] {
  const exact: Lookup = { column: 'fact', values: facts };
  return foldedFact === null ? [exact] : [exact, { column: 'folded_fact', values: [foldedFact] }];
}

/** The documents that meet an equality; one may come twice. */
function documentsOf(lookups: readonly Lookup[]): Sql {
  const parts = lookups.map(
    ({ column, values }) => `SELECT document FROM metadata WHERE ${column} IN (${marks(values)})`,
  );
  return { sql: parts.join(' UNION ALL '), params: lookups.flatMap(({ values }) => values) };
}

/** The documents of an equality that meet the others too. */
function narrowed(rarest: readonly Lookup[], all: readonly (readonly Lookup[])[]): Sql {
  const others = all.filter((lookups) => lookups !== rarest);
  const found = documentsOf(rarest);
  const met = allOf(others.map((lookups, i) => meets(lookups, `other${i}`)));
  // CROSS JOIN keeps the order: from the rarest equality to the others.
  const joined = others.map((_, i) => `CROSS JOIN metadata AS other${i}`).join(' ');
  return {
    sql: `SELECT found.document AS document FROM (${found.sql}) AS found ${joined} WHERE ${met.sql}`,
    params: [...found.params, ...met.params],
  };
}

/** The documents that meet all equalities. */
function intersected(all: readonly (readonly Lookup[])[]): Sql {
  const parts = all.map(documentsOf);
  return {
    sql: `${parts.map(({ sql }) => `SELECT document FROM (${sql})`).join(' INTERSECT ')} ORDER BY 1`,
    params: parts.flatMap(({ params }) => params),
  };
}

/** Condition: the row of `metadata` under this name says that `found.document` meets the equality. */
function meets(lookups: readonly Lookup[], name: string): Sql {
  const parts = lookups.map(
    ({ column, values }) => `(${name}.${column} IN (${marks(values)}) AND ${name}.document = found.document)`,
  );
  return { sql: `(${parts.join(' OR ')})`, params: lookups.flatMap(({ values }) => values) };
}

/** Returns those of the documents found that meet the rest of the query, in the order of its pages. */
function numbersOf(
  db: DatabaseSync,
  query: DocumentListQuery,
  partitions: readonly Partition[],
  found: Sql,
  rest: readonly Filter[],
): readonly number[] {
  const conditions = allOf([
    ...inPartitions(query, partitions),
    ...rest.map((node) => filterToSql(node, 'documents.no')),
    ...listConditions({ ...query, filter: null }),
  ]);
  // The index holds what a page is sorted by, so that no row is read here.
  const statement = db.prepare(
    `SELECT documents.no FROM (${found.sql}) AS found CROSS JOIN documents INDEXED BY documents_by_number
      WHERE documents.no = found.document AND ${conditions.sql} ORDER BY ${orderOf(query)}`,
  );
  statement.setReturnArrays(true);
  const rows = statement.all(...found.params, ...conditions.params) as unknown as [no: number][];
  const numbers = rows.map(([no]) => no);
  // Keys that only differ in lone surrogates are one key here, so a document may come twice.
  return numbers.filter((no, i) => no !== numbers[i - 1]);
}

/** A fact names its organization, so a scope of the whole organization needs no condition. */
function inPartitions({ scope, holds }: DocumentListQuery, partitions: readonly Partition[]): Sql[] {
  if (scope.tags === 'all') return ofHeld(holds);
  const numbers = JSON.stringify(partitions.map(({ no }) => no));
  return [{ sql: `found.document / ${PLACES} IN (SELECT value FROM json_each(?))`, params: [numbers] }];
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');
