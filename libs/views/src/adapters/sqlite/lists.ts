import type { DatabaseSync } from 'node:sqlite';
import type { DocumentListQuery, DocumentQuery } from '../../port.ts';
import { toColumn } from '../../text.ts';
import { allOf, type Sql } from './filters.ts';
import { stageNumber } from './rows.ts';
import { inOrganization, type Partition, restrictionOf } from './scope.ts';

/** Up to this many partitions are read in index order and merged; more are read whole and sorted. */
const MERGED = 16;

export interface Page {
  readonly sort: DocumentListQuery['sort'];
  readonly order: DocumentListQuery['order'];
  readonly offset: number;
  readonly limit: number;
}

/**
 * Returns numbers of documents in the order of the page, ties by id in the same direction.
 * @param restricted the conditions may hold for few documents
 */
export function orderedNumbers(
  db: DatabaseSync,
  query: DocumentQuery,
  partitions: readonly Partition[],
  conditions: readonly Sql[],
  { sort, order, offset, limit }: Page,
  restricted: boolean,
): number[] {
  if (partitions.length === 0) return [];
  const column = sort === 'createdAt' ? 'created_at' : 'updated_at';
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const parts = orderedPlaces(query, partitions, restricted).map((place) => {
    const where = allOf([place, ...conditions]);
    return { sql: `SELECT no, ${column}, id FROM documents WHERE ${where.sql}`, params: where.params };
  });
  const statement = db.prepare(
    `${parts.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY 2 ${direction}, 3 ${direction} LIMIT ? OFFSET ?`,
  );
  statement.setReturnArrays(true);
  const rows = statement.all(...parts.flatMap(({ params }) => params), limit, offset) as unknown as [number][];
  return rows.map(([no]) => no);
}

/** Counts exactly the documents of the partitions that meet the conditions. */
export function countDocuments(db: DatabaseSync, partitions: readonly Partition[], conditions: readonly Sql[]): number {
  if (conditions.length === 0) return partitions.reduce((sum, { documents }) => sum + documents, 0);
  const where = allOf([inPartitions(partitions), ...conditions]);
  const row = db.prepare(`SELECT count(*) AS total FROM documents WHERE ${where.sql}`).get(...where.params);
  return (row as { total: number }).total;
}

/** Conditions of a list beside its scope. */
export function listConditions(query: DocumentListQuery): Sql[] {
  const conditions: Sql[] = [];
  const restriction = restrictionOf(query);
  if (restriction !== null) conditions.push(restriction);
  if (query.stages !== null) {
    const stages = query.stages.map(stageNumber);
    conditions.push({ sql: `stage IN (${stages.map(() => '?').join(', ')})`, params: stages });
  }
  if (query.source !== null) conditions.push({ sql: 'source = ?', params: [toColumn(query.source)] });
  if (query.customId !== null) {
    conditions.push(inOrganization(query.scope), { sql: 'custom_id = ?', params: [toColumn(query.customId)] });
  }
  return conditions;
}

/**
 * Splits the documents so that each part can be read in order. The index of an organization is in order, but its rows
 * are spread over the file; the rows of a partition are adjacent. The former is used only where a page is full soon.
 */
function orderedPlaces(query: DocumentQuery, partitions: readonly Partition[], restricted: boolean): Sql[] {
  if (partitions.length <= MERGED) return partitions.map(({ no }) => ({ sql: 'partition = ?', params: [no] }));
  return [query.scope.tags === 'all' && !restricted ? inOrganization(query.scope) : inPartitions(partitions)];
}

function inPartitions(partitions: readonly Partition[]): Sql {
  const numbers = JSON.stringify(partitions.map(({ no }) => no));
  return { sql: 'partition IN (SELECT value FROM json_each(?))', params: [numbers] };
}
