import type { Counts } from './unit-json.ts';

/**
 * Different words of a document in one row, about. OpenSearch counts a feature as 32,512 to 34,815 tokens, the more the higher
 * its count, and takes 2^31 tokens in a field of a row: at least 61,000 features. It needs about 250 bytes of its heap for
 * each while it writes the row.
 */
export const WORDS_OF_A_ROW = 50_000;

/**
 * Spreads the words of a document over the rows of its first units.
 * @param units number of its units
 */
export function spread(words: Counts, units: number): Counts[] {
  const rows = Math.min(units, Math.ceil(words.terms.length / WORDS_OF_A_ROW));
  if (rows <= 1) return [words];
  const parts = Array.from({ length: rows }, () => ({ terms: [] as number[], counts: [] as number[], length: 0 }));
  for (let i = 0; i < words.terms.length; i++) {
    const part = parts[placeOf(words.terms[i] as number, rows)] as (typeof parts)[number];
    part.terms.push(words.terms[i] as number);
    part.counts.push(words.counts[i] as number);
    part.length += words.counts[i] as number;
  }
  return parts;
}

/** Returns the ordinal of the unit whose row holds a word of its document. @param rows over which the words are spread */
export const placeOf = (hash: number, rows: number): number => hash % rows;
