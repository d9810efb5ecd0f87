import type { EmbeddedPortion, EmbeddingInput } from './passages.child.ts';
import type { EmbeddedText } from './port.ts';

/** Names a passage among those that were in a process when it died. */
export const nameOf = (passage: EmbeddingInput): string =>
  typeof passage === 'string' ? passage : JSON.stringify(passage);

export const charactersOf = (passage: EmbeddingInput): number =>
  typeof passage === 'string' ? passage.length : passage.reduce((sum, text) => sum + text.length, 0);

/** Divides a portion among its passages: one entry for a text, one for each text of a window. */
export function textsIn(
  { vectors, tokens }: EmbeddedPortion,
  passages: readonly EmbeddingInput[],
  dimensions: number,
): (readonly EmbeddedText[])[] {
  let row = 0;
  let at = 0;
  const next = (): EmbeddedText => {
    // Copied, because a view would keep the memory of the whole portion while one of its vectors is in use.
    const vector = vectors.slice(row * dimensions, (row + 1) * dimensions);
    const length = tokens?.lengths[row] ?? 0;
    const own = tokens === null ? null : tokens.rows.slice(at, at + length);
    row += 1;
    at += length;
    return { vector, tokens: own };
  };
  return passages.map((passage) => (typeof passage === 'string' ? [next()] : passage.map(next)));
}
