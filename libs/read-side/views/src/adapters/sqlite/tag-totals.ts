import type { DatabaseSync } from 'node:sqlite';
import type { OrganizationId, Scope } from '#platform/kernel';
import type { TagTotals } from '../../queries.ts';
import { fromColumn, toColumn } from '../../text.ts';
import { OF_DOCUMENTS, OF_MEMORIES, OF_PASSAGES } from './numbers.ts';

/** Times of all partitions: one pass through their index is faster than a lookup for each of many. */
const TIMES_OF_ALL = `
  SELECT partition AS no, min(created_at) AS created, max(updated_at) AS updated FROM documents GROUP BY partition`;

/** Times of the partitions of some tags. */
const TIMES_OF_SOME = `
  SELECT no,
      (SELECT min(created_at) FROM documents WHERE partition = partitions.no) AS created,
      (SELECT max(updated_at) FROM documents WHERE partition = partitions.no) AS updated
    FROM partitions WHERE no IN (
      SELECT partition FROM partition_tags WHERE organization = ?1 AND tag IN (SELECT value FROM json_each(?2)))`;

/** Counts the memories of a partition that are forgotten or expired. */
const INACTIVE = `
  SELECT count(*) FROM documents WHERE partition = partitions.no AND inactive_from <= ?3`;

/** Adds up the counters of the partitions of each tag; the times come from the index of the partitions. */
export function tagTotals(db: DatabaseSync, { organization, tags }: Scope, now: number): TagTotals[] {
  const statement = db.prepare(`
    WITH times AS MATERIALIZED (${tags === 'all' ? TIMES_OF_ALL : TIMES_OF_SOME})
    SELECT tag,
        sum(CASE direct WHEN ${OF_DOCUMENTS} THEN documents ELSE 0 END) AS documents,
        sum(CASE WHEN direct IN (${OF_DOCUMENTS}, ${OF_MEMORIES}, ${OF_PASSAGES}) THEN memories ELSE 0 END
          - CASE WHEN direct IN (${OF_MEMORIES}, ${OF_PASSAGES}) THEN (${INACTIVE}) ELSE 0 END
          - CASE direct WHEN ${OF_PASSAGES} THEN documents ELSE 0 END) AS memories,
        min(created) AS createdAt,
        max(updated) AS updatedAt
      FROM partition_tags JOIN times ON times.no = partition JOIN partitions ON partitions.no = partition
      WHERE partition_tags.organization = ?1 AND (?2 IS NULL OR tag IN (SELECT value FROM json_each(?2)))
      GROUP BY tag ORDER BY tag`);
  const wanted = tags === 'all' ? null : JSON.stringify(tags.map(toColumn));
  const found = statement.all(toColumn(organization), wanted, now) as unknown as TagTotals[];
  return found.map((totals) => ({ ...totals, tag: fromColumn(totals.tag) }));
}

/** Adds up the counters of all partitions of an organization. */
export function storedIn(
  db: DatabaseSync,
  organization: OrganizationId,
): { readonly documents: number; readonly storedBytes: number } {
  const found = db
    .prepare(
      `SELECT coalesce(sum(CASE direct WHEN ${OF_DOCUMENTS} THEN documents ELSE 0 END), 0) AS documents,
          coalesce(sum(stored_bytes), 0) AS storedBytes
        FROM partitions WHERE organization = ? AND direct IN (${OF_DOCUMENTS}, ${OF_MEMORIES}, ${OF_PASSAGES})`,
    )
    .get(toColumn(organization));
  return { ...(found as { documents: number; storedBytes: number }) };
}
