import type { DocumentContents, RecordContent } from '#features/documents';
import type { HitsAsOf } from '#read-side/as-of';
import type { Unit } from '#read-side/views';
import { type DocumentSources, newestDocuments } from '../pipeline/newest-documents.ts';
import type { SearchHits } from '../pipeline/search-pipeline.ts';
import type { CandidateQuery, SearchPlan } from '../pipeline/search-plan.ts';
import type { SearchResults } from '../search-options.ts';
import { documentsOf, rerankedDocumentsOf } from './group-passages.ts';
import { neighboursOf } from './neighbours.ts';
import type { ChunkResult, DocumentResult, SearchDocuments } from './search-documents.query.ts';

interface Sources extends DocumentSources {
  readonly contents: DocumentContents;
}

type Options = SearchDocuments['options'];

/** A result without the content of its document. */
type BareResult = Pick<DocumentResult, 'document' | 'score' | 'chunks'>;

/** Lists for the question `*`: the newest documents, each as good as the other, with their beginnings. */
export async function newestResults(
  sources: DocumentSources,
  { query }: SearchPlan,
  { limit }: Options,
  asOf: HitsAsOf | null,
): Promise<SearchResults<BareResult>> {
  const newest = await newestDocuments(sources, query, limit, asOf);
  const hit = { similarity: 1, explanation: null };
  const results = newest.map(({ document, unit }) => ({ document, score: 1, chunks: [chunkOf(unit, hit)] }));
  return { results, rewriting: null };
}

/** Returns the best documents with their passages and, if the request asks for it, the chunks around these. */
export async function bestResults(
  { views }: DocumentSources,
  { hits: [hits = []], rewriting }: SearchHits,
  { query, isReranked, limits }: SearchPlan,
  options: Options,
  asOf: HitsAsOf | null,
): Promise<SearchResults<BareResult>> {
  const documents = isReranked ? rerankedDocumentsOf(hits.slice(0, limits.first), options) : documentsOf(hits, options);
  const best = documents.slice(0, options.limit);
  const neighbours = options.onlyMatchingChunks ? [] : await neighboursOf(views, query, best, asOf);
  const results = best.map(({ document, score, passages }, i) => ({
    ...{ document, score },
    chunks: passages.flatMap((passage, j) => [
      chunkOf(passage.hit.unit, passage),
      ...(neighbours[i]?.[j] ?? []).map((unit) => chunkOf(unit, null)),
    ]),
  }));
  return { results, rewriting };
}

/** Adds the contents of the documents if the request asks for them. */
export async function presentDocuments(
  sources: Sources,
  { query }: SearchPlan,
  { includeFullDocs }: Options,
  { results, rewriting }: SearchResults<BareResult>,
): Promise<SearchResults<DocumentResult>> {
  const contents = includeFullDocs ? await contentsOf(sources, query, results) : [];
  return { results: results.map((result, i) => ({ ...result, content: null, ...contents[i] })), rewriting };
}

async function contentsOf(
  { contents, past }: Sources,
  { scope, asOf }: CandidateQuery,
  results: readonly BareResult[],
): Promise<readonly RecordContent[]> {
  if (asOf === undefined) return contents.ofRecords(results.map(({ document }) => document));
  const found = results.map(({ document }) => past.find({ ...scope, access: 'read' }, document.id, asOf));
  return contents.ofDocuments((await Promise.all(found)).map((one) => (one.ok ? one.value : null)));
}

/** @param hit null: the chunk is no hit, but beside one */
const chunkOf = (
  { text, ordinal, location }: Unit,
  hit: { readonly similarity: number; readonly explanation: ChunkResult['explanation'] } | null,
): ChunkResult => ({
  ...{ content: text, position: ordinal, ...(location !== undefined && { location }) },
  ...{ score: hit?.similarity ?? 0, isRelevant: hit !== null, explanation: hit?.explanation ?? null },
});
