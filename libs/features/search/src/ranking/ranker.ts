import { sharesWindows } from '../spaces.ts';
import { FEATURES, type FeatureValues, featuresOf } from './features.ts';
import type { RankerInputs } from './inputs.ts';
import { WINDOW_WEIGHTS } from './weights.ts';
import { ALONE_WEIGHTS } from './weights-alone.ts';

/** The base formula's best units among which the ranker works. */
export const RANKED = 100;

/** A unit as the base formula ranks it. */
export interface BaseRanked {
  readonly score: number;
  /** Null: without vectors. */
  readonly inputs: RankerInputs | null;
  /** The same for units of the same document. */
  readonly document: unknown;
  readonly text: string;
  readonly speaker: string | null;
  /** ISO 8601. */
  readonly documentDate: string | null;
}

export interface ReorderedUnit<T> {
  readonly unit: T;
  /** Null: the base formula alone has ranked it. */
  readonly features: FeatureValues | null;
}

/**
 * Reorders those of the best 100 units that carry a speaker and the date of their document, among the places that these
 * hold. All others keep their place.
 * @param units in the order of the base formula
 * @param space of the vectors that were compared; null: none
 */
export function reorder<T extends BaseRanked>(
  question: string,
  units: readonly T[],
  space: string | null,
): ReorderedUnit<T>[] {
  const result: ReorderedUnit<T>[] = units.map((unit) => ({ unit, features: null }));
  const places: number[] = [];
  const own: (T & { readonly inputs: RankerInputs; readonly documentDate: string })[] = [];
  units.slice(0, RANKED).forEach((unit, place) => {
    if (!isRankable(unit)) return;
    places.push(place);
    own.push(unit);
  });
  if (own.length === 0) return result;
  const features = featuresOf(question, own);
  const order = own
    .map((unit, i) => ({
      unit,
      features: features[i] as FeatureValues,
      total: totalOf(features[i] as FeatureValues, space),
    }))
    // Stable: units of the same total stay in the order of the base formula.
    .sort((a, b) => b.total - a.total);
  order.forEach(({ unit, features: values }, i) => {
    result[places[i] as number] = { unit, features: values };
  });
  return result;
}

function isRankable<T extends BaseRanked>(
  unit: T,
): unit is T & { readonly inputs: RankerInputs; readonly documentDate: string } {
  return unit.inputs !== null && unit.speaker !== null && unit.documentDate !== null;
}

const weightsIn = (space: string | null): FeatureValues =>
  space !== null && sharesWindows(space) ? WINDOW_WEIGHTS : ALONE_WEIGHTS;

/** Returns the score by which the ranker orders: the sum of all shares. */
export function totalOf(features: FeatureValues, space: string | null): number {
  const weights = weightsIn(space);
  let total = 0;
  for (const feature of FEATURES) total += weights[feature] * features[feature];
  return total;
}

/** Returns what each feature adds to the score by which the ranker orders. @param space as for `reorder` */
export function sharesOf(features: FeatureValues, space: string | null): FeatureValues {
  const weights = weightsIn(space);
  return Object.fromEntries(
    FEATURES.map((feature) => [feature, weights[feature] * features[feature]]),
  ) as unknown as FeatureValues;
}
