import type { QuantizedVector } from '#ports/vector-store';
import { dimensionsOf, quantize, scaleOf, valuesOf } from './quantize.ts';
import type { UnitVectors } from './unit.ts';

/** How many units before and after a unit belong to its context. */
export const NEIGHBOURS = 2;
/** The largest weight that an entry holds. */
const MOST_TOKENS = 0xffff;

/** Weight of a unit in the context of its neighbours; 0: it has none there. */
export const weightOf = (unit: UnitVectors): number =>
  unit.bare === null || unit.wide !== null ? 0 : Math.min(MOST_TOKENS, unit.tokens ?? 0);

/**
 * Adds up the bare vectors of a unit and its neighbours by their weights. Null: its context does not follow from them.
 * @param units in the order of the text
 */
function sumAt(units: readonly UnitVectors[], place: number): Float32Array | null {
  const own = units[place];
  if (!own?.bare || weightOf(own) === 0) return null;
  const sum = new Float32Array(dimensionsOf(own.bare));
  for (const unit of units.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1)) {
    const weight = weightOf(unit);
    if (unit.bare === null || weight === 0) continue;
    addTo(sum, unit.bare, weight);
  }
  return sum;
}

/** Returns 1 / length of the weighted sum of a unit and its neighbours. 0: the unit has no context, or the sum is zero. */
export function inverseLengthAt(units: readonly UnitVectors[], place: number): number {
  let squares = 0;
  for (const component of sumAt(units, place) ?? []) squares += component * component;
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}

/** Returns the vector of a unit's context: its own one, or the weighted mean of the unit and its neighbours. */
export function wideAt(units: readonly UnitVectors[], place: number): QuantizedVector | null {
  const sum = sumAt(units, place);
  return sum === null ? (units[place]?.wide ?? null) : quantize(sum);
}

/** Returns the mean of vectors of equal weight. @param vectors at least one */
export function meanOf(vectors: readonly QuantizedVector[]): QuantizedVector {
  const sum = new Float32Array(dimensionsOf(vectors[0] as QuantizedVector));
  for (const vector of vectors) addTo(sum, vector, 1);
  return quantize(sum);
}

function addTo(sum: Float32Array, vector: QuantizedVector, weight: number): void {
  const values = valuesOf(vector);
  const factor = weight * scaleOf(vector);
  for (let d = 0; d < sum.length; d++) sum[d] = (sum[d] as number) + factor * (values[d] as number);
}
