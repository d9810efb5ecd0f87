import type { Evidence } from '../scan/evidence.ts';
import { type Calibration, LEXICAL_CALIBRATION, OTHER_VECTOR_CALIBRATION, VECTOR_CALIBRATIONS } from './calibration.ts';

/** Weight of words in neighbouring units, relative to words in the hit. */
const NEIGHBOUR_WEIGHT = 0.5;

export type HitEvidence = Pick<Evidence, 'cosineBare' | 'cosineWide' | 'share' | 'shareWide' | 'density'>;

/**
 * Returns the similarity of query and hit, 0…1, on one scale for every model: a paraphrase reaches .6, a near copy .85
 * (contract §4.3). It depends on the hit alone and is equal in every container and under every filter. It is the higher of
 * two estimates, by vectors and by words: an exact identifier has no meaning to a model, and a paraphrase shares no word.
 * @param space name of the vector space of the cosines; null without a model
 */
export function similarity(evidence: HitEvidence, space: string | null): number {
  const words = lexicalEstimate(evidence);
  const cosines = [evidence.cosineBare, evidence.cosineWide].filter((cosine) => cosine !== null);
  if (space === null || cosines.length === 0) return words;
  return Math.max(words, estimate(calibrationOf(space), Math.max(...cosines), evidence));
}

/** Lowers similarities so that they never increase along the list, which is ordered by the fused score. */
export function capInOrder(similarities: readonly number[]): number[] {
  let cap = 1;
  return similarities.map((value) => {
    cap = Math.min(cap, value);
    return cap;
  });
}

/** Returns the similarity by words alone. */
export const lexicalEstimate = (evidence: HitEvidence): number => estimate(LEXICAL_CALIBRATION, 0, evidence);

/** Share of the query's terms in a hit; those in its neighbours count half. */
export const weightedShare = ({ share, shareWide }: HitEvidence): number =>
  share + NEIGHBOUR_WEIGHT * (shareWide - share);

function estimate(calibration: Calibration, cosine: number, evidence: HitEvidence): number {
  const z =
    calibration.bias +
    calibration.cosine * cosine +
    calibration.share * weightedShare(evidence) ** calibration.sharePower +
    calibration.density * evidence.density;
  return 1 / (1 + Math.exp(-z));
}

function calibrationOf(space: string): Calibration {
  const [model = '', version] = space.split('.');
  const name = [`${model}.${version}`, model].find((one) => Object.hasOwn(VECTOR_CALIBRATIONS, one));
  return name === undefined ? OTHER_VECTOR_CALIBRATION : (VECTOR_CALIBRATIONS[name] as Calibration);
}
