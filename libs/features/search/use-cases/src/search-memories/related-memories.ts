import type { Unit, ViewsReader } from '#read-side/views';
import { readCut } from '../cut-units.ts';
import type { MemoryResult } from './search-memories.query.ts';

/**
 * Returns for each result the memories before and after it in its document. Memories have no other relations yet, and
 * chunks and aggregates have none.
 */
export async function relatedMemories(
  views: Pick<ViewsReader, 'units' | 'documents'>,
  cut: Parameters<typeof readCut>[1],
  results: readonly MemoryResult[],
): Promise<readonly (readonly Unit[])[]> {
  const wanted = new Map<string, Set<number>>();
  for (const { documentId, ordinals } of results.map(around)) {
    wanted.set(documentId, new Set([...(wanted.get(documentId) ?? []), ...ordinals]));
  }
  const rows = await views.documents(cut.scope, [...wanted.keys()]);
  const units = await readCut(
    views,
    cut,
    rows.map((document) => ({ document, ordinals: [...(wanted.get(document.id) ?? [])] })),
  );
  const byPlace = new Map(units.map(({ documentId, unit }) => [`${documentId} ${unit.ordinal}`, unit]));
  return results
    .map(around)
    .map(({ documentId, ordinals }) => ordinals.flatMap((ordinal) => byPlace.get(`${documentId} ${ordinal}`) ?? []));
}

function around({ unit: { kind, ordinal }, document, aggregate }: MemoryResult) {
  const isMemory = kind === 'memory' && aggregate === undefined;
  const ordinals = isMemory ? [ordinal - 1, ordinal + 1].filter((place) => place >= 0) : [];
  return { documentId: document.id, ordinals };
}
