/** Sums and lengths of vectors. Token states are rows of as many numbers as the vector has. */

/** Writes the unit-length mean of the rows in `layer` to `into`. */
export function pool(layer: Float32Array, into: Float32Array): void {
  add(layer, into);
  normalize(into);
}

/** Adds the rows in `layer` to `into`. */
export function add(layer: Float32Array, into: Float32Array): void {
  for (let at = 0; at < layer.length; at += into.length) {
    for (let d = 0; d < into.length; d++) into[d]! += layer[at + d]!;
  }
}

export function normalize(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  for (let d = 0; d < vector.length; d++) vector[d]! /= length;
}
