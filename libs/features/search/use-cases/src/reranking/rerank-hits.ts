import { type RerankMethod, reranked, rerankedSimilarity } from '#features/search';
import { RERANK_MS, type RerankedPassage, type Reranker } from '#ports/rerank';
import { inOrder, type ScoredHit, withoutRepetition } from '../results.ts';

/**
 * Orders the best hits by what the reranker says of them, and reports its similarity. Hits that cannot be compared in time
 * keep their place and their similarity.
 * @param most hits that are compared
 */
export async function rerankHits(
  reranker: Reranker,
  question: string,
  hits: readonly ScoredHit[],
  most: number,
): Promise<readonly ScoredHit[]> {
  const best = hits.slice(0, most);
  // Repetitions are compared once.
  const passages = withoutRepetition(best, ({ hit }) => hit.unit.text).map(passageOf);
  const compared = passages.length === 0 ? null : await reranker.rerank(question, passages, RERANK_MS);
  if (compared === null) return hits.map((one) => explained(one, null));
  const { method } = compared;
  const scores = new Map(passages.map(({ text }, i) => [text, compared.scores[i] ?? null]));
  const units = best.map((one) => ({
    one,
    orderedBy: one.orderedBy,
    order: one.order,
    rerank: scores.get(one.hit.unit.text) ?? null,
  }));
  return inOrder([
    ...reranked(units, method).map(({ one, rerank }) =>
      rerank === null
        ? explained(one, null)
        : explained({ ...one, own: rerankedSimilarity(method, rerank, one.hit.evidence) }, { method, score: rerank }),
    ),
    ...hits.slice(most).map((one) => explained(one, null)),
  ]);
}

/** Tokens of the whole unit are not those of what remains of it. */
const passageOf = ({ hit: { unit, document, isCut }, space }: ScoredHit): RerankedPassage => ({
  ...{ text: unit.text, unitId: isCut ? `${unit.id}/cut` : unit.id },
  ...{ organization: document.organization, space },
});

const explained = (
  one: ScoredHit,
  rerank: { readonly method: RerankMethod; readonly score: number } | null,
): ScoredHit => ({
  ...one,
  explanation: { ...one.explanation, rerank },
});
