import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Filter } from '#search';
import type { DocumentListQuery } from '../../port.ts';
import { type Equality, splitEqualities } from './facts.ts';
import { allOf, filterToSql, type Sql } from './filters.ts';
import { type ListedNumbers, listConditions, orderOf } from './lists.ts';
import { PLACES } from './numbers.ts';
import type { Partition } from './scope.ts';

/** Rows with one of the values in a column of `metadata`. */
interface Lookup {
  readonly column: 'fact' | 'folded_fact';
  readonly values: readonly bigint[];
}

/**
 * Returns a page of a list whose filter demands equalities, from the documents that an index finds by the rarest of
 * them. Null: there is no equality, or the scope has fewer documents than that.
 */
export function listByEqualities(
  db: DatabaseSync,
  query: DocumentListQuery,
  partitions: readonly Partition[],
): ListedNumbers | null {
  if (query.filter === null || partitions.length === 0) return null;
  const { equalities, rest } = splitEqualities(query.scope.organization, query.filter);
  const rarestFirst = ordered(db, equalities, documentsIn(partitions));
  if (rarestFirst === null) return null;
  return listFound(db, query, partitions, rarestFirst, rest);
}

const documentsIn = (partitions: readonly Partition[]): number =>
  partitions.reduce((sum, { documents }) => sum + documents, 0);

/** Returns the equalities with the rarest first. Null: none is met by fewer documents than the limit. */
function ordered(
  db: DatabaseSync,
  equalities: readonly Equality[],
  limit: number,
): readonly (readonly Lookup[])[] | null {
  let fewest = limit;
  let rarest: readonly Lookup[] | null = null;
  const all = equalities.map(lookupsOf);
  for (const lookups of all) {
    const found = documentsOf(lookups);
    const counted = db.prepare(`SELECT count(*) AS rows FROM (${found.sql} LIMIT ?)`).get(...found.params, fewest);
    const { rows } = counted as { rows: number };
    if (rows >= fewest) continue;
    fewest = rows;
    rarest = lookups;
  }
  return rarest === null ? null : [rarest, ...all.filter((lookups) => lookups !== rarest)];
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

/** Condition: the row of `metadata` under this name says that `found.document` meets the equality. */
function meets(lookups: readonly Lookup[], name: string): Sql {
  const parts = lookups.map(
    ({ column, values }) => `(${name}.${column} IN (${marks(values)}) AND ${name}.document = found.document)`,
  );
  return { sql: `(${parts.join(' OR ')})`, params: lookups.flatMap(({ values }) => values) };
}

function listFound(
  db: DatabaseSync,
  query: DocumentListQuery,
  partitions: readonly Partition[],
  [rarest = [], ...others]: readonly (readonly Lookup[])[],
  rest: readonly Filter[],
): ListedNumbers {
  const found = documentsOf(rarest);
  const names = others.map((_, i) => `other${i}`);
  const narrowed = allOf([
    ...inPartitions(query, partitions),
    ...others.map((lookups, i) => meets(lookups, names[i] as string)),
  ]);
  const conditions = allOf([
    ...rest.map((node) => filterToSql(node, 'documents.no')),
    ...listConditions({ ...query, filter: null }),
  ]);
  // CROSS JOIN keeps the order: from the rarest equality to the others.
  const joined = names.map((name) => `CROSS JOIN metadata AS ${name}`).join(' ');
  // The index holds what a page is sorted by, so that only the rows of the page itself are read.
  const from = `FROM documents INDEXED BY documents_by_number WHERE no IN (
      WITH found AS (${found.sql})
      SELECT found.document FROM found ${joined} WHERE ${narrowed.sql}
    ) AND ${conditions.sql}`;
  const params: SQLInputValue[] = [...found.params, ...narrowed.params, ...conditions.params];
  const statement = db.prepare(`SELECT no, count(*) OVER () ${from} ORDER BY ${orderOf(query)} LIMIT ? OFFSET ?`);
  statement.setReturnArrays(true);
  const rows = statement.all(...params, query.limit, query.offset) as unknown as [no: number, total: number][];
  if (rows[0] !== undefined) return { numbers: rows.map(([no]) => no), total: rows[0][1] };
  const { total } = db.prepare(`SELECT count(*) AS total ${from}`).get(...params) as { total: number };
  return { numbers: [], total };
}

/** A fact names its organization, so a scope of the whole organization needs no condition. */
function inPartitions({ scope }: DocumentListQuery, partitions: readonly Partition[]): Sql[] {
  if (scope.tags === 'all') return [];
  const numbers = JSON.stringify(partitions.map(({ no }) => no));
  return [{ sql: `found.document / ${PLACES} IN (SELECT value FROM json_each(?))`, params: [numbers] }];
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');
