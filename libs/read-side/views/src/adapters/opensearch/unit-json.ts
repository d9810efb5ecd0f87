/** Writes the long fields of a unit's row as JSON by hand, which halves the work of a replay outside OpenSearch. */

/** Term counts of a text, by the hashes of the terms. */
export interface Counts {
  readonly terms: ArrayLike<number>;
  readonly counts: ArrayLike<number>;
  /** Number of terms, including repetitions. */
  readonly length: number;
}

/** Returns the name of a term in a field of features, which may not contain dots. */
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
/** For each value from −128 on, with a comma in front. */
const NUMBERS = Array.from({ length: 256 }, (_, i) => Buffer.from(`,${i - 128}`, 'latin1'));
let letters = Buffer.alloc(0);

/** Returns null for a zero vector: it has no direction, and OpenSearch refuses it. */
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
