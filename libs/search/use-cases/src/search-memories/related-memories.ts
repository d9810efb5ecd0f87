import type { Scope } from '#kernel';
import type { Unit, ViewsReader } from '#views';
import type { MemoryResult } from './search-memories.query.ts';

/**
 * Returns for each result the memories before and after it in its document. Memories have no other relations yet, and
 * chunks and aggregates have none.
 */
export async function relatedMemories(
  views: Pick<ViewsReader, 'units'>,
  scope: Scope,
  results: readonly MemoryResult[],
): Promise<readonly (readonly Unit[])[]> {
  const wanted = new Map<string, Set<number>>();
  for (const { documentId, ordinals } of results.map(around)) {
    wanted.set(documentId, new Set([...(wanted.get(documentId) ?? []), ...ordinals]));
  }
  const units = await views.units(
    scope,
    [...wanted].map(([documentId, ordinals]) => ({ documentId, kind: 'memory', ordinals: [...ordinals] })),
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
