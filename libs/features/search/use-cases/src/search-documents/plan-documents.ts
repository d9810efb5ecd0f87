import { planSearch, type SearchPlan } from '../pipeline/search-plan.ts';
import type { SearchDocuments } from './search-documents.query.ts';

/** Chunks fetched for each document that is asked for, and the most of one search. */
const CHUNKS_PER_DOCUMENT = 5;
const MOST_CHUNKS = 500;

/**
 * @param documentId only this document. Null: all
 * @param now milliseconds since the epoch
 */
export function planDocuments(search: SearchDocuments, documentId: string | null, now: number): SearchPlan {
  const { query, ...plan } = planSearch(search, ['chunk'], now);
  return {
    ...plan,
    query: { ...query, documentId },
    limits: {
      first: Math.min(MOST_CHUNKS, search.options.limit * CHUNKS_PER_DOCUMENT),
      repeated: null,
      leastChunks: 0,
      checked: { perHit: Number.POSITIVE_INFINITY, most: MOST_CHUNKS },
    },
  };
}
