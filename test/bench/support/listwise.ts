/** One question: the features of its candidates, and which of them are right. */
export interface RankedList {
  readonly candidates: readonly (readonly number[])[];
  readonly right: readonly boolean[];
}

/** Weight of the squares of the weights, against the mean loss of a question. */
const L2 = 3e-3;
const STEPS = 30;
/** Ends the fit when a step changes no weight by more. */
const ENOUGH = 1e-6;

/**
 * Fits the weights of a linear ranking: softmax over the candidates of each question, cross-entropy with the even
 * distribution over the right ones, and a small cost of large weights. The loss is convex, so Newton's method finds its
 * minimum in a few steps. Lists without a right candidate do not count.
 */
export function fitListwise(lists: readonly RankedList[], features: number): number[] {
  const flat = lists.filter(({ right }) => right.includes(true)).map((list) => flatten(list));
  let weights = new Float64Array(features);
  let loss = lossOf(flat, weights);
  for (let step = 0; step < STEPS; step++) {
    const { gradient, curvature } = slopesOf(flat, weights);
    const direction = solved(curvature, gradient);
    for (let factor = 1; ; factor /= 2) {
      const next = weights.map((weight, i) => weight - factor * (direction[i] as number));
      const nextLoss = lossOf(flat, next);
      const change = Math.max(...next.map((weight, i) => Math.abs(weight - (weights[i] as number))));
      if (nextLoss > loss && change > ENOUGH) continue;
      [weights, loss] = [next, nextLoss];
      if (change <= ENOUGH) return [...weights];
      break;
    }
  }
  return [...weights];
}

export const total = (candidate: readonly number[], weights: readonly number[]): number =>
  candidate.reduce((sum, value, i) => sum + value * (weights[i] as number), 0);

interface FlatList {
  readonly values: Float64Array;
  /** The share of each candidate that is wanted. */
  readonly wanted: Float64Array;
  /** Of each candidate, by the softmax; reused. */
  readonly shares: Float64Array;
}

function flatten({ candidates, right }: RankedList): FlatList {
  const share = 1 / right.filter(Boolean).length;
  return {
    values: Float64Array.from(candidates.flat()),
    wanted: Float64Array.from(right, (is) => (is ? share : 0)),
    shares: new Float64Array(right.length),
  };
}

/** Fills the shares. @returns the loss of the list */
function spread({ values, wanted, shares }: FlatList, weights: Float64Array): number {
  const features = weights.length;
  let highest = -Infinity;
  let wished = 0;
  for (let c = 0; c < shares.length; c++) {
    let sum = 0;
    for (let i = 0; i < features; i++) sum += (values[c * features + i] as number) * (weights[i] as number);
    shares[c] = sum;
    wished += (wanted[c] as number) * sum;
    highest = Math.max(highest, sum);
  }
  let all = 0;
  for (let c = 0; c < shares.length; c++) {
    shares[c] = Math.exp((shares[c] as number) - highest);
    all += shares[c] as number;
  }
  for (let c = 0; c < shares.length; c++) shares[c] = (shares[c] as number) / all;
  return highest + Math.log(all) - wished;
}

function lossOf(lists: readonly FlatList[], weights: Float64Array): number {
  const squares = weights.reduce((sum, weight) => sum + weight * weight, 0);
  return lists.reduce((sum, list) => sum + spread(list, weights), 0) / lists.length + L2 * squares;
}

/** First and second derivatives of the loss. */
function slopesOf(lists: readonly FlatList[], weights: Float64Array) {
  const features = weights.length;
  const gradient = weights.map((weight) => 2 * L2 * weight);
  const curvature = Array.from({ length: features }, (_, i) =>
    new Float64Array(features).fill(0).fill(2 * L2, i, i + 1),
  );
  const each = 1 / lists.length;
  const mean = new Float64Array(features);
  for (const list of lists) {
    spread(list, weights);
    const { values, wanted, shares } = list;
    mean.fill(0);
    for (let c = 0; c < shares.length; c++) {
      const share = shares[c] as number;
      const excess = share - (wanted[c] as number);
      for (let i = 0; i < features; i++) {
        const value = values[c * features + i] as number;
        if (value === 0) continue;
        gradient[i] = (gradient[i] as number) + each * excess * value;
        mean[i] = (mean[i] as number) + share * value;
        const row = curvature[i] as Float64Array;
        const factor = each * share * value;
        for (let k = 0; k < features; k++) row[k] = (row[k] as number) + factor * (values[c * features + k] as number);
      }
    }
    for (let i = 0; i < features; i++) {
      const row = curvature[i] as Float64Array;
      const factor = each * (mean[i] as number);
      for (let k = 0; k < features; k++) row[k] = (row[k] as number) - factor * (mean[k] as number);
    }
  }
  return { gradient, curvature };
}

/** Solves `matrix · x = right` by elimination. The matrix is positive definite, so no row has to be exchanged. */
function solved(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const rows = matrix.map((row) => Float64Array.from(row));
  const x = Float64Array.from(right);
  const size = x.length;
  for (let i = 0; i < size; i++) {
    const pivot = rows[i] as Float64Array;
    for (let below = i + 1; below < size; below++) {
      const row = rows[below] as Float64Array;
      const factor = (row[i] as number) / (pivot[i] as number);
      for (let k = i; k < size; k++) row[k] = (row[k] as number) - factor * (pivot[k] as number);
      x[below] = (x[below] as number) - factor * (x[i] as number);
    }
  }
  for (let i = size - 1; i >= 0; i--) {
    const row = rows[i] as Float64Array;
    let sum = x[i] as number;
    for (let k = i + 1; k < size; k++) sum -= (row[k] as number) * (x[k] as number);
    x[i] = sum / (row[i] as number);
  }
  return x;
}
