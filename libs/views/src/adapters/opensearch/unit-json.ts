/**
 * The long fields of a unit's row as JSON, by hand: that halves the work of a replay outside OpenSearch.
 */

/** How often each term occurs in a text, by the hashes of the terms. */
export interface Counts {
  readonly terms: ArrayLike<number>;
  readonly counts: ArrayLike<number>;
  /** Terms of the text, repetitions included. */
  readonly length: number;
}

/** Name of a term in a field of features, which knows no dots. */
export function featureOf(hash: number): string {
  let name = names.get(hash);
  if (name === undefined) {
    if (names.size >= MOST_NAMES) names.clear();
    name = hash.toString(36);
    names.set(hash, name);
  }
  return name;
}

const MOST_NAMES = 65_536;
const names = new Map<number, string>();

export function featuresJson({ terms, counts }: Counts): string {
  let json = '{';
  for (let i = 0; i < terms.length; i++) {
    json += `${i === 0 ? '' : ','}"${featureOf(terms[i] as number)}":${counts[i]}`;
  }
  return `${json}}`;
}

const LONGEST_NUMBER = ',-128'.length;
/** Of each value from −128 on, with a comma before it. */
const NUMBERS = Array.from({ length: 256 }, (_, i) => Buffer.from(`,${i - 128}`, 'latin1'));
let letters = Buffer.alloc(0);

/** @returns null for a vector of zeros: it has no direction, and OpenSearch takes none */
export function vectorJson(values: Int8Array): string | null {
  if (letters.length < values.length * LONGEST_NUMBER) letters = Buffer.alloc(values.length * LONGEST_NUMBER);
  let at = 0;
  let bits = 0;
  for (const value of values) {
    bits |= value;
    const number = NUMBERS[value + 128] as Buffer;
    for (let i = 0; i < number.length; i++) letters[at++] = number[i] as number;
  }
  return bits === 0 ? null : `[${letters.toString('latin1', 1, at)}]`;
}
