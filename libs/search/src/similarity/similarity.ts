import type { Evidence } from '../scan/evidence.ts';
import { type Calibration, LEXICAL_CALIBRATION, OTHER_VECTOR_CALIBRATION, VECTOR_CALIBRATIONS } from './calibration.ts';

/** Words of the neighbours support a hit, but half as much as its own. */
const NEIGHBOURS = 0.5;

type Ground = Pick<Evidence, 'cosineBare' | 'cosineWide' | 'share' | 'shareWide' | 'density'>;

/**
 * How alike question and hit are, 0…1, on one scale for every model: a paraphrase reaches .6, a near copy .85 (contract
 * §4.3). From the hit alone, so the same in every container and under every filter. The better of two estimates, by
 * vectors and by words, because an exact identifier tells a model nothing and a paraphrase shares no word.
 * @param space name of the vector space that the cosines were measured in; null without a model
 */
export function similarity(evidence: Ground, space: string | null): number {
  const words = estimate(LEXICAL_CALIBRATION, 0, evidence);
  const cosines = [evidence.cosineBare, evidence.cosineWide].filter((cosine) => cosine !== null);
  if (space === null || cosines.length === 0) return words;
  return Math.max(words, estimate(calibrationOf(space), Math.max(...cosines), evidence));
}

/** The list's order comes from the fused score; the similarity reported with it never rises on the way down. */
export function capInOrder(similarities: readonly number[]): number[] {
  let cap = 1;
  return similarities.map((value) => {
    cap = Math.min(cap, value);
    return cap;
  });
}

function estimate(calibration: Calibration, cosine: number, { share, shareWide, density }: Ground): number {
  const held = share + NEIGHBOURS * (shareWide - share);
  const z =
    calibration.bias +
    calibration.cosine * cosine +
    calibration.share * held ** calibration.sharePower +
    calibration.density * density;
  return 1 / (1 + Math.exp(-z));
}

function calibrationOf(space: string): Calibration {
  const model = space.split('.', 1)[0] as string;
  return Object.hasOwn(VECTOR_CALIBRATIONS, model)
    ? (VECTOR_CALIBRATIONS[model] as Calibration)
    : OTHER_VECTOR_CALIBRATION;
}
