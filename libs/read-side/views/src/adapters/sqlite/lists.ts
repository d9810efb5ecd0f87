import type { DatabaseSync } from 'node:sqlite';
import type { Scope } from '#platform/kernel';
import type { DocumentListQuery } from '../../queries.ts';
import { textHash } from '../../statements.ts';
import { fromColumn, toColumn } from '../../text.ts';
import { allOf, type Sql } from './filters.ts';
import { stageNumber } from './rows.ts';
import { activeAt, inOrganization, ofHeld, type Partition, partitionsHolding, restrictionOf } from './scope.ts';

/** Up to this many partitions are read in index order and merged; more are read whole and sorted. */
const MERGED = 16;

/** Documents of a page, in its order, and how many the list has in all. */
export interface ListedNumbers {
  readonly numbers: readonly number[];
  readonly total: number;
}

export interface Page {
  readonly sort: DocumentListQuery['sort'];
  readonly order: DocumentListQuery['order'];
  readonly offset: number;
  readonly limit: number;
}

/** Returns a page of a list from the documents of the partitions. */
export function listPartitions(
  db: DatabaseSync,
  query: DocumentListQuery,
  scoped: readonly Partition[],
): ListedNumbers {
  const partitions = partitionsHolding(scoped, query.holds);
  const conditions = listConditions(query);
  const total = countDocuments(db, partitions, conditions);
  if (query.offset >= total) return { numbers: [], total };
  return { numbers: orderedNumbers(db, query, partitions, conditions, query, conditions.length > 0), total };
}

/**
 * Returns numbers of documents in the order of the page, ties by id in the same direction.
 * @param restricted the conditions may hold for few documents
 */
export function orderedNumbers(
  db: DatabaseSync,
  query: Pick<DocumentListQuery, 'scope' | 'holds' | 'texts'>,
  partitions: readonly Partition[],
  conditions: readonly Sql[],
  page: Page,
  restricted: boolean,
): number[] {
  if (partitions.length === 0) return [];
  // SQLite prefers an index in the order of the page, and reads a whole partition with it. Few memories have a text.
  const table = query.texts?.length ? 'documents INDEXED BY documents_by_text' : 'documents';
  const parts = orderedPlaces(query, partitions, restricted).map((place) => {
    const where = allOf([...place, ...conditions]);
    return { sql: `SELECT no, created_at, updated_at, id FROM ${table} WHERE ${where.sql}`, params: where.params };
  });
  const statement = db.prepare(
    `${parts.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY ${orderOf(page)} LIMIT ? OFFSET ?`,
  );
  statement.setReturnArrays(true);
  const rows = statement.all(...parts.flatMap(({ params }) => params), page.limit, page.offset) as unknown as [
    number,
  ][];
  return rows.map(([no]) => no);
}

/** Ties are broken by id, so that pages are stable. */
export function orderOf({ sort, order }: Pick<Page, 'sort' | 'order'>): string {
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  return `${sort === 'createdAt' ? 'created_at' : 'updated_at'} ${direction}, id ${direction}`;
}

/** Counts exactly the documents of the partitions that meet the conditions. */
function countDocuments(db: DatabaseSync, partitions: readonly Partition[], conditions: readonly Sql[]): number {
  if (conditions.length === 0) return partitions.reduce((sum, { documents }) => sum + documents, 0);
  const where = allOf([inPartitions(partitions), ...conditions]);
  const row = db.prepare(`SELECT count(*) AS total FROM documents WHERE ${where.sql}`).get(...where.params);
  return (row as { total: number }).total;
}

/** Counts the documents of each type, for types with any. */
export function countTypes(
  db: DatabaseSync,
  scope: Scope,
  partitions: readonly Partition[],
): readonly { readonly type: string; readonly count: number }[] {
  const isWhole = scope.tags === 'all';
  const place = allOf(isWhole ? [inOrganization(scope), ...ofHeld()] : [inPartitions(partitionsHolding(partitions))]);
  const counted = db.prepare(`SELECT type, count(*) AS count FROM documents WHERE ${place.sql} GROUP BY type`);
  const rows = counted.all(...place.params) as unknown as { readonly type: string; readonly count: number }[];
  return rows.map(({ type, count }) => ({ type: fromColumn(type), count }));
}

/** Conditions of a list beside its scope. */
export function listConditions(query: DocumentListQuery): Sql[] {
  const conditions: Sql[] = activeAt(query);
  const restriction = restrictionOf(query);
  if (restriction !== null) conditions.push(restriction);
  if (query.stages !== null) {
    const stages = query.stages.map(stageNumber);
    conditions.push({ sql: `stage IN (${stages.map(() => '?').join(', ')})`, params: stages });
  }
  if (query.sources) conditions.push(isOneOf('source', query.sources));
  if (query.types) conditions.push(isOneOf('type', query.types));
  if (query.texts) {
    const hashes = query.texts.map((text) => textHash(query.scope.organization, text));
    conditions.push(inOrganization(query.scope), isOneOf('text_hash', hashes));
  }
  if (query.customIds) conditions.push(inOrganization(query.scope), isOneOf('custom_id', query.customIds));
  conditions.push(...within('created_at <=', query.createdUntil));
  conditions.push(...within('updated_at <=', query.updatedUntil));
  conditions.push(...within('updated_at >', query.updatedAfter));
  return conditions;
}

const within = (comparison: string, time: number | null = null): Sql[] =>
  time === null ? [] : [{ sql: `${comparison} ?`, params: [time] }];

const isOneOf = (column: string, texts: readonly string[]): Sql => ({
  sql: `${column} IN (${texts.map(() => '?').join(', ')})`,
  params: texts.map(toColumn),
});

/**
 * Splits the documents so that each part can be read in order. The index of an organization is in order, but its rows
 * are spread over the file; the rows of a partition are adjacent. The former is used only where a page is full soon.
 */
function orderedPlaces(
  query: Pick<DocumentListQuery, 'scope' | 'holds'>,
  partitions: readonly Partition[],
  restricted: boolean,
): (readonly Sql[])[] {
  if (partitions.length <= MERGED) return partitions.map(({ no }) => [{ sql: 'partition = ?', params: [no] }]);
  const isWhole = query.scope.tags === 'all' && !restricted;
  return [isWhole ? [inOrganization(query.scope), ...ofHeld(query.holds)] : [inPartitions(partitions)]];
}

export function inPartitions(partitions: readonly Partition[]): Sql {
  const numbers = JSON.stringify(partitions.map(({ no }) => no));
  return { sql: 'partition IN (SELECT value FROM json_each(?))', params: [numbers] };
}
