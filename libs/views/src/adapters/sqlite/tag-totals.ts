import type { DatabaseSync } from 'node:sqlite';
import type { Scope } from '#kernel';
import type { TagTotals } from '../../port.ts';
import { fromColumn, toColumn } from '../../text.ts';

/** Adds up the counters of the partitions of each tag; the times come from the index of the partition. */
export function tagTotals(db: DatabaseSync, { organization, tags }: Scope): TagTotals[] {
  const own = tags === 'all' ? '' : 'AND tag IN (SELECT value FROM json_each(?))';
  const params = [toColumn(organization), ...(tags === 'all' ? [] : [JSON.stringify(tags.map(toColumn))])];
  const statement = db.prepare(`
    WITH own AS MATERIALIZED (
      SELECT no, documents, memories,
          (SELECT min(created_at) FROM documents WHERE partition = partitions.no) AS created,
          (SELECT max(updated_at) FROM documents WHERE partition = partitions.no) AS updated
        FROM partitions
        WHERE documents > 0 AND no IN (SELECT partition FROM partition_tags WHERE organization = ? ${own})
    )
    SELECT tag, sum(documents) AS documents, sum(memories) AS memories, min(created) AS createdAt, max(updated) AS updatedAt
      FROM partition_tags JOIN own ON own.no = partition WHERE organization = ? ${own} GROUP BY tag ORDER BY tag`);
  const found = statement.all(...params, ...params) as unknown as TagTotals[];
  return found.map((totals) => ({ ...totals, tag: fromColumn(totals.tag) }));
}
