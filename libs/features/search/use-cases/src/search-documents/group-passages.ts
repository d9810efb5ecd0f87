import type { DocumentRow } from '#read-side/views';
import { inOrder, type ScoredHit } from '../pipeline/scored-hits.ts';
import type { SearchDocuments } from './search-documents.query.ts';

/** A document with the passages that reach the threshold, the best first. */
export interface DocumentHit {
  readonly document: DocumentRow;
  /** Of its first passage. */
  readonly score: number;
  readonly passages: readonly ScoredHit[];
}

type Thresholds = Pick<SearchDocuments['options'], 'chunkThreshold' | 'documentThreshold'>;

/** Groups passages by document, in the order of the best ones. The thresholds look at the reported similarity. */
export function documentsOf(
  hits: readonly ScoredHit[],
  { chunkThreshold, documentThreshold }: Thresholds,
): readonly DocumentHit[] {
  return byDocument(hits.filter(({ similarity }) => similarity >= chunkThreshold))
    .map((passages) => ({ document: passages[0].hit.document, score: passages[0].similarity, passages }))
    .filter(({ score }) => score >= documentThreshold);
}

/**
 * The same of reranked passages, of which each reaches the thresholds by itself: one that does not lowers none of those
 * behind it, which may have kept their place because there was no time for them.
 */
export function rerankedDocumentsOf(
  hits: readonly ScoredHit[],
  { chunkThreshold, documentThreshold }: Thresholds,
): readonly DocumentHit[] {
  const documents = byDocument(hits.filter(({ own }) => own >= chunkThreshold));
  const reaching = documents.filter(([first]) => first.own >= documentThreshold);
  const scores = inOrder(reaching.map(([first]) => first));
  return reaching.map((passages, i) => {
    const score = scores[i]?.similarity ?? 0;
    const capped = inOrder(passages.map((one) => ({ ...one, own: Math.min(one.own, score) })));
    return { document: passages[0].hit.document, score, passages: capped };
  });
}

type Passages = readonly [ScoredHit, ...ScoredHit[]];

/** A map keeps the order of the best passages, which is the order of the documents. */
const byDocument = (hits: readonly ScoredHit[]): readonly Passages[] =>
  [...Map.groupBy(hits, ({ hit }) => hit.document.id).values()] as unknown as readonly Passages[];
