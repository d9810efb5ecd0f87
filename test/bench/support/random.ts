/** Returns a seeded generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const below = (random: () => number, limit: number): number => Math.floor(random() * limit);

export function unitVector(random: () => number, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let squares = 0;
  for (let i = 0; i < dimensions; i++) {
    const component = random() * 2 - 1;
    vector[i] = component;
    squares += component * component;
  }
  const length = Math.sqrt(squares);
  for (let i = 0; i < dimensions; i++) vector[i]! /= length;
  return vector;
}
