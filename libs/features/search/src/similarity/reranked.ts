import type { RerankMethod } from '../ranking/rerank.ts';
import { RERANK_CALIBRATION } from './calibration.ts';
import { type HitEvidence, lexicalEstimate, weightedShare } from './similarity.ts';

/**
 * Returns the similarity of a question and a hit by what a reranker says, on the scale of `similarity`: a paraphrase reaches
 * .6, a near copy .85.
 * @param score −1…1 of MaxSim, beside which words count as without it; the logit of a cross-encoder, which counts alone
 */
export function rerankedSimilarity(method: RerankMethod, score: number, evidence: HitEvidence): number {
  if (method === 'cross-encoder') return logistic(score);
  const { bias, maxSim, share, sharePower } = RERANK_CALIBRATION;
  const byTokens = logistic(bias + maxSim * score + share * weightedShare(evidence) ** sharePower);
  return Math.max(lexicalEstimate(evidence), byTokens);
}

const logistic = (z: number): number => 1 / (1 + Math.exp(-z));
