import { reranked, rerankedSimilarity } from '#features/search';
import { RERANK_MS, type RerankedPassage, type Reranker } from '#ports/rerank';
import { inOrder, type ScoredHit, withoutRepetition } from './scored-hits.ts';

/**
 * Orders the best hits by what the reranker says of them, and reports its similarity. Hits that cannot be compared in time
 * keep their place and their similarity.
 * @param most hits that are compared
 */
export async function rerank(
  reranker: Reranker,
  question: string,
  hits: readonly ScoredHit[],
  most: number,
): Promise<readonly ScoredHit[]> {
  const explained = hits.map((one) => ({ ...one, explanation: { ...one.explanation, rerank: null } }));
  const best = explained.slice(0, most);
  // Repetitions are compared once.
  const passages = withoutRepetition(best, ({ hit }) => hit.unit.text).map(passageOf);
  const compared = passages.length === 0 ? null : await reranker.rerank(question, passages, RERANK_MS);
  if (compared === null) return explained;
  const { method } = compared;
  const scores = new Map(passages.map(({ text }, i) => [text, compared.scores[i] ?? null]));
  const units = best.map((one) => ({ ...one, rerank: scores.get(one.hit.unit.text) ?? null }));
  const ordered = reranked(units, method).map(({ rerank: score, ...one }) =>
    score === null
      ? one
      : {
          ...one,
          own: rerankedSimilarity(method, score, one.hit.evidence),
          explanation: { ...one.explanation, rerank: { method, score } },
        },
  );
  return inOrder([...ordered, ...explained.slice(most)]);
}

/** Tokens of the whole unit are not those of what remains of it. */
const passageOf = ({ hit: { unit, document, space, isCut } }: ScoredHit): RerankedPassage => ({
  ...{ text: unit.text, unitId: isCut ? `${unit.id}/cut` : unit.id },
  ...{ organization: document.organization, space },
});
