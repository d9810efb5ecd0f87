import type { Scope } from '#kernel';
import type { DocumentRow, Unit, ViewsReader } from '#views';

/** A document with its memories, of today: all of them are first versions and none is forgotten. */
export interface DocumentWithMemories {
  readonly row: DocumentRow;
  /** In order. */
  readonly memories: readonly Unit[];
}

/** Most memories of one answer, some 15 MB of JSON; the last documents then have fewer, or none. */
const MOST_MEMORIES = 20_000;
/** Documents whose memories are read at once: a read must not delay searches. */
const AT_ONCE = 50;

/** Reads the memories of the documents from the views. */
export async function withMemories(
  views: ViewsReader,
  scope: Scope,
  rows: readonly DocumentRow[],
): Promise<readonly DocumentWithMemories[]> {
  const memories = new Map<string, Unit[]>(rows.map(({ id }) => [id, []]));
  let left = MOST_MEMORIES;
  for (let from = 0; from < rows.length && left > 0; from += AT_ONCE) {
    const documentIds = rows.slice(from, from + AT_ONCE).map(({ id }) => id);
    const found = await views.unitsOf(scope, { documentIds, kind: 'memory', limit: left });
    for (const { documentId, unit } of found) memories.get(documentId)?.push(unit);
    left -= found.length;
  }
  return rows.map((row) => ({ row, memories: memories.get(row.id) ?? [] }));
}
