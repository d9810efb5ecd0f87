import type { DocumentRepository } from '#features/documents';
import type { HitsAsOf } from '#read-side/as-of';
import { foldedTextOf, type ViewsReader } from '#read-side/views';
import { atLeast, type ScoredHit, withoutRepetition } from '../pipeline/scored-hits.ts';
import type { SearchHits } from '../pipeline/search-pipeline.ts';
import type { SearchPlan } from '../pipeline/search-plan.ts';
import type { SearchResults } from '../search-options.ts';
import { withAggregates } from './aggregates.ts';
import { earlierVersions } from './earlier-versions.ts';
import { asFirstMembers } from './first-members.ts';
import { chunksOf } from './found-chunks.ts';
import { relatedMemories } from './related-memories.ts';
import type { MemoryResult, SearchMemories } from './search-memories.query.ts';

type Options = SearchMemories['options'];

/** The results of an answer, without what the request asks for beside them. */
export interface BestMemories extends SearchResults<MemoryResult> {
  /** Chunks that reach the threshold, the best first. */
  readonly chunks: readonly ScoredHit[];
}

/** Returns the best hits that reach the threshold: of those that say the same one, as lists show it. */
export function bestMemories(
  { hits, rewriting }: SearchHits,
  { query, kinds }: SearchPlan,
  { limit, threshold, withRepetition = false }: Options,
): BestMemories {
  const reaching = hits.map((ofKind) => atLeast(ofKind, threshold));
  const ordered = reaching.flat().sort((a, b) => b.similarity - a.similarity);
  const different = withRepetition ? ordered : withoutRepetition(ordered, ({ hit }) => foldedTextOf(hit.unit));
  const shown = withRepetition ? ordered : asFirstMembers(different, ordered, query.cutAt);
  const results = shown.slice(0, limit).map(({ hit: { unit, document }, similarity, explanation }) => {
    return { unit, document, similarity, explanation };
  });
  return { results, chunks: reaching[kinds.indexOf('chunk')] ?? [], rewriting };
}

/** Adds to results what the request asks for beside them. */
export async function presentMemories(
  { views, documents }: { readonly views: ViewsReader; readonly documents: DocumentRepository },
  { query }: SearchPlan,
  { extras }: Options,
  { results, chunks, rewriting }: BestMemories,
  asOf: HitsAsOf | null,
): Promise<SearchResults<MemoryResult>> {
  const { scope } = query;
  const detailed = await withDetails(views, query, results);
  const all = extras.aggregates ? await withAggregates(detailed) : detailed;
  const [related, parents] = extras.related
    ? await Promise.all([
        relatedMemories(views, query, all, asOf),
        Promise.all(all.map((result) => earlierVersions(documents, views, scope, result))),
      ])
    : [[], []];
  return {
    results: all.map((result, i) => ({
      ...result,
      ...(extras.chunks && { chunks: chunksOf(result, chunks) }),
      ...(extras.related && { related: related[i] ?? [], parents: parents[i] ?? [] }),
    })),
    rewriting,
  };
}

/** Marks memories that are forgotten or expired, and adds the documents from which memories with rows of their own were formed. */
async function withDetails(
  views: Pick<ViewsReader, 'documents'>,
  { scope, cutAt }: SearchPlan['query'],
  results: readonly MemoryResult[],
): Promise<readonly MemoryResult[]> {
  const ids = results.flatMap(({ document: { memory } }) => memory?.documentId ?? []);
  const rows = ids.length === 0 ? [] : await views.documents(scope, ids);
  const sources = new Map(rows.map((row) => [row.id, row]));
  return results.map((result) => {
    const { documentId = '', inactiveFrom = null } = result.document.memory ?? {};
    const source = sources.get(documentId);
    return {
      ...result,
      ...(inactiveFrom !== null && inactiveFrom <= cutAt && { isInactive: true as const }),
      ...(source !== undefined && { source }),
    };
  });
}
