import { type DocumentRepository, type Live, loadMemories, type MemoryDocument } from '#features/documents';
import type { Scope } from '#platform/kernel';
import type { CutUnits } from '#read-side/projections';
import type { Unit } from '#read-side/views';

/** Memories of a document that have streams of their own. */
export interface TouchedIn {
  readonly memories: ReadonlyMap<string, MemoryDocument>;
  /** Ids of those whose streams are gone. */
  readonly erased: ReadonlySet<string>;
}

/** @param document as it is now */
export async function touchedIn(
  documents: Pick<DocumentRepository, 'load'>,
  { organization }: Pick<Scope, 'organization'>,
  { touched }: Pick<Live, 'touched'>,
): Promise<TouchedIn> {
  const memories = await loadMemories(documents, organization, touched);
  return { memories, erased: new Set(touched.filter((id) => !memories.has(id))) };
}

/** Returns what is shown of a unit at a time: milliseconds since the epoch. Null: nothing. */
export function shownAt(cuts: CutUnits, unit: Unit, at: number): Unit | null {
  if (!cuts.isCut(unit.id, at)) return unit;
  const left = cuts.remains.find(
    (one) => one.unit === unit && one.from <= at && (one.until === null || one.until > at),
  );
  return left === undefined ? null : { ...unit, text: left.text };
}
