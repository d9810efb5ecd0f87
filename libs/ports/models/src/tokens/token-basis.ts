/**
 * A linear map from the state of a token, as the model's last layer has it, to a short vector. Two tokens of similar meaning
 * have a high cosine there.
 */
export interface TokenBasis {
  /** Of a token's state. */
  readonly stateDimensions: number;
  /** Of a short vector. */
  readonly dimensions: number;
  /** Mean state; subtracted first. */
  readonly mean: Float32Array;
  /** One row of `stateDimensions` numbers for each dimension. */
  readonly rows: Float32Array;
}

/** Returns one short vector of unit length for each state. @param states rows of `stateDimensions` numbers */
export function projectStates(states: Float32Array, basis: TokenBasis): Float32Array {
  const { stateDimensions, dimensions, mean, rows } = basis;
  const tokens = states.length / stateDimensions;
  const vectors = new Float32Array(tokens * dimensions);
  const centred = new Float32Array(stateDimensions);
  for (let token = 0; token < tokens; token++) {
    const from = token * stateDimensions;
    for (let d = 0; d < stateDimensions; d++) centred[d] = states[from + d]! - mean[d]!;
    const to = token * dimensions;
    let squares = 0;
    for (let row = 0; row < dimensions; row++) {
      let sum = 0;
      const at = row * stateDimensions;
      for (let d = 0; d < stateDimensions; d++) sum += centred[d]! * rows[at + d]!;
      vectors[to + row] = sum;
      squares += sum * sum;
    }
    const length = Math.sqrt(squares);
    if (length > 0) for (let row = 0; row < dimensions; row++) vectors[to + row]! /= length;
  }
  return vectors;
}

/**
 * Returns how well a passage answers a question word by word: for each token of the question the highest cosine with a token
 * of the passage, averaged over the question; −1…1.
 * @param question rows of `dimensions` numbers, of unit length; at least one
 * @param passage the same
 */
export function maxSim(question: Float32Array, passage: Float32Array, dimensions: number): number {
  let total = 0;
  for (let q = 0; q < question.length; q += dimensions) {
    let best = -1;
    for (let p = 0; p < passage.length; p += dimensions) {
      let cosine = 0;
      for (let d = 0; d < dimensions; d++) cosine += question[q + d]! * passage[p + d]!;
      if (cosine > best) best = cosine;
    }
    total += best;
  }
  return (total * dimensions) / question.length;
}
