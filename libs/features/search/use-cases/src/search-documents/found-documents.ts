import type { DocumentRow } from '#read-side/views';
import { atLeast, inOrder, type ScoredHit } from '../results.ts';
import type { SearchDocuments } from './search-documents.query.ts';

/** A document with the passages that reach the threshold, the best first. */
export interface FoundDocument {
  readonly document: DocumentRow;
  /** Of its first passage. */
  readonly score: number;
  readonly passages: readonly ScoredHit[];
}

type Thresholds = Pick<SearchDocuments['options'], 'chunkThreshold' | 'documentThreshold'>;

/** Groups passages by document, in the order of the best ones. The thresholds look at the reported similarity. */
export function foundDocuments(
  hits: readonly ScoredHit[],
  { chunkThreshold, documentThreshold }: Thresholds,
): readonly FoundDocument[] {
  return byDocument(hits.filter(({ similarity }) => similarity >= chunkThreshold))
    .map((passages) => found(passages, passages[0].similarity))
    .filter(({ score }) => score >= documentThreshold);
}

/**
 * The same of reranked passages, of which each reaches the thresholds by itself: one that does not lowers none of those
 * behind it, which may have kept their place because there was no time for them.
 */
export function rerankedDocuments(
  hits: readonly ScoredHit[],
  { chunkThreshold, documentThreshold }: Thresholds,
): readonly FoundDocument[] {
  const documents = byDocument(hits.filter(({ own }) => own >= chunkThreshold));
  const passagesOf = new Map(documents.map((passages) => [passages[0].hit.document.id, passages]));
  const best = atLeast(
    documents.map(([first]) => first),
    documentThreshold,
  );
  return best.map(({ hit, similarity }) => {
    const passages = passagesOf.get(hit.document.id) ?? [];
    const capped = inOrder(passages.map((one) => ({ ...one, own: Math.min(one.own, similarity) })));
    return { document: hit.document, score: similarity, passages: capped };
  });
}

type Passages = readonly [ScoredHit, ...ScoredHit[]];

/** A map keeps the order of the best passages, which is the order of the documents. */
const byDocument = (hits: readonly ScoredHit[]): readonly Passages[] =>
  [...Map.groupBy(hits, ({ hit }) => hit.document.id).values()] as unknown as readonly Passages[];

const found = (passages: Passages, score: number): FoundDocument => ({
  document: passages[0].hit.document,
  score,
  passages,
});
