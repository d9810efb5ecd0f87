import type { ScoredHit } from '../pipeline/scored-hits.ts';
import type { FoundChunk, MemoryResult } from './search-memories.query.ts';

/** Chunks of one result. */
const MOST = 5;

/** Returns those of the chunks that are of the documents of a result, the best first. @param found the best first */
export function chunksOf({ document, aggregate }: MemoryResult, found: readonly ScoredHit[]): readonly FoundChunk[] {
  const ids = new Set((aggregate?.documents ?? [document]).map(({ id }) => id));
  return found
    .filter(({ hit }) => ids.has(hit.document.id))
    .slice(0, MOST)
    .map(({ hit, similarity }) => ({ unit: hit.unit, documentId: hit.document.id, similarity }));
}
