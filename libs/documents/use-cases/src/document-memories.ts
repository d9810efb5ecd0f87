import type { Scope } from '#kernel';
import { type DocumentRow, leftOutOf, type RowMemory, type Unit, type ViewsReader } from '#views';

/** A document with its memories, by their first versions. */
export interface DocumentWithMemories {
  readonly row: DocumentRow;
  /** In order. */
  readonly memories: readonly Unit[];
  /** What callers did with some of them, by their ids. */
  readonly touched: ReadonlyMap<string, RowMemory>;
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
  const touched = await touchedAmong(views, scope, rows, memories);
  return rows.map((row) => ({ row, memories: memories.get(row.id) ?? [], touched }));
}

/** Touched memories have rows of their own, and are left out of searches for their document. */
async function touchedAmong(
  views: ViewsReader,
  scope: Scope,
  rows: readonly DocumentRow[],
  memories: ReadonlyMap<string, readonly Unit[]>,
): Promise<ReadonlyMap<string, RowMemory>> {
  const ids = rows.flatMap(({ id, cuts }) => {
    const left = new Set(leftOutOf(cuts?.leftOut ?? [], 'memory'));
    return (memories.get(id) ?? []).filter(({ ordinal }) => left.has(ordinal)).map((unit) => unit.id);
  });
  const found = ids.length === 0 ? [] : await views.documents(scope, ids);
  return new Map(found.flatMap(({ id, memory }) => (memory === undefined ? [] : [[id, memory]])));
}
