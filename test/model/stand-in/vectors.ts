import { WORDS } from '../contract/words.ts';

const DIMENSIONS = 384;

/** One dimension for each word of the tests: two texts are similar as far as they have words in common. */
export function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of text.split(/[^a-z]+/)) {
    const dimension = (WORDS as readonly string[]).indexOf(word);
    if (dimension >= 0) vector[dimension] = 1;
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[DIMENSIONS - 1] = 1;
  return vector.map((value) => value / (length || 1));
}
