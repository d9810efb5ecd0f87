import { stemmer } from '@orama/stemmers/english';
import { stopwords } from '@orama/stopwords/english';

/** Common words that the package's list lacks. */
const MORE_STOP_WORDS = 'a also am another came come get got make many much now said since still take way well'.split(
  ' ',
);
const stopWords: ReadonlySet<string> = new Set([...stopwords, ...MORE_STOP_WORDS]);

export const isStopWord = (word: string): boolean => stopWords.has(word);

const PLAIN_WORD = /^[a-z]{3,40}$/;
const ION = /^([a-z]+[st])ions?$/;
/** Porter's measure above 1: at least two groups of vowels followed by consonants. */
const LONG_STEM = /^[^aeiou]*(?:[aeiouy]+[^aeiouy]+){2}/;

/**
 * Returns the Porter stem of a folded English word; anything else (numbers, identifiers, other scripts) is its own stem.
 * Porter stems "adoption" to "adopt"; version 3.1.18 of the package returns "adop", which does not match "adopted". These
 * endings are removed here.
 */
export function stem(word: string): string {
  if (!PLAIN_WORD.test(word)) return word;
  const base = ION.exec(word)?.[1];
  if (base !== undefined && !base.endsWith('at') && LONG_STEM.test(base)) return base;
  return stemmer(word);
}
