import type { HitsAsOf, PastMemories } from '#read-side/as-of';
import { foldedTextOf } from '#read-side/views';
import { type DocumentSources, newestDocuments } from '../pipeline/newest-documents.ts';
import type { CandidateQuery, SearchPlan } from '../pipeline/search-plan.ts';
import type { BestMemories } from './present-memories.ts';
import type { SearchMemories } from './search-memories.query.ts';

interface Sources extends DocumentSources {
  readonly pastMemories: PastMemories;
}

/**
 * Lists for the question `*`: memories and the beginnings of documents, the newest first, each as good as the other.
 * @param asOf null: the question is about the present
 */
export async function newestMemories(
  sources: Sources,
  { query, kinds }: SearchPlan,
  { limit }: SearchMemories['options'],
  asOf: HitsAsOf | null,
): Promise<BestMemories> {
  const memories = kinds.includes('memory') ? await memoriesOf(sources, query, limit) : [];
  const texts = new Set(memories.map(({ unit }) => foldedTextOf(unit)));
  const chunks = kinds.includes('chunk') ? await newestDocuments(sources, query, limit, asOf) : [];
  const results = [...memories, ...chunks.filter(({ unit }) => !texts.has(foldedTextOf(unit)))]
    .sort((a, b) => b.document.createdAt - a.document.createdAt)
    .slice(0, limit)
    .map(({ unit, document }) => ({ unit, document, similarity: 1, explanation: null }));
  return { results, chunks: [], rewriting: null };
}

function memoriesOf({ views, pastMemories }: Sources, query: CandidateQuery, limit: number) {
  const { asOf, cutAt: now } = query;
  return asOf === undefined
    ? views.newestMemories(query, limit)
    : pastMemories.newest(views, { ...query, asOf, now }, limit);
}
