import { giveWayToRequests } from '#platform/kernel';
import { identitiesOf, newUnitKey, type Passage, type Passages, unitIdsWith } from '#processing/extraction';
import type { UnitKind } from '#read-side/views';
import type { ChunkRef, MemoryRef } from '../events.ts';
import type { Live } from '../state.ts';

const chunkRef = (id: string, { start, end, location }: Passage): ChunkRef =>
  location === undefined ? [id, start, end] : [id, start, end, location];

const memoryRef = (id: string, { start, end, speaker, location }: Passages['memories'][number]): MemoryRef =>
  location === undefined ? [id, start, end, speaker] : [id, start, end, speaker, location];

/** Ids computed before other work may go on; about half a millisecond. */
const IDS_AT_ONCE = 64;

export interface IdentifiedPassages {
  readonly chunks: readonly ChunkRef[];
  readonly memories: readonly MemoryRef[];
  /** The document's key, to be recorded with the passages. */
  readonly unitKey: string;
}

/**
 * Assigns unit ids to passages. A passage has the same id in all versions of a document's content.
 * @param text the extracted text, of which the passages are ranges
 */
export async function identifyPassages(
  document: Live,
  text: string,
  { chunks, memories }: Passages,
): Promise<IdentifiedPassages> {
  const unitKey = document.unitKey ?? newUnitKey();
  const idOf = unitIdsWith(unitKey);
  const idsOf = async (kind: UnitKind, passages: readonly Passage[]): Promise<readonly string[]> => {
    const ids: string[] = [];
    await giveWayToRequests();
    const texts = passages.map(({ start, end }) => text.slice(start, end));
    for (const identity of identitiesOf(kind, texts)) {
      ids.push(idOf(identity));
      if (ids.length % IDS_AT_ONCE === 0) await giveWayToRequests();
    }
    return ids;
  };
  const chunkIds = await idsOf('chunk', chunks);
  const memoryIds = await idsOf('memory', memories);
  return {
    chunks: chunks.map((passage, i) => chunkRef(chunkIds[i] as string, passage)),
    memories: memories.map((passage, i) => memoryRef(memoryIds[i] as string, passage)),
    unitKey,
  };
}
