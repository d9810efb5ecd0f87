import { contentHash } from '#platform/kernel';
import { sentencesOf } from '#processing/extraction';

/** A sentence of a text: its range in UTF-16 code units, and by what it is compared with others. */
export interface HashedSentence {
  readonly start: number;
  readonly end: number;
  readonly hash: string;
}

const HASH_LETTERS = 22;

/** Returns the sentences of a text, in order. Case, space and punctuation make no difference to their hashes. */
export function hashedSentences(text: string): readonly HashedSentence[] {
  return sentencesOf(text).map(({ start, end }) => ({ start, end, hash: hashOf(text.slice(start, end)) }));
}

/** Returns the hashes of the sentences of a text, each once. */
export const sentenceHashes = (text: string): readonly string[] => [
  ...new Set(hashedSentences(text).map(({ hash }) => hash)),
];

const hashOf = (sentence: string): string => contentHash('sentence', folded(sentence)).slice(0, HASH_LETTERS);

/** A sentence of nothing but punctuation is compared as it is. */
function folded(sentence: string): string {
  const words = sentence.normalize('NFKC').toLowerCase().match(WORDS);
  return words === null ? sentence : words.join(' ');
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
