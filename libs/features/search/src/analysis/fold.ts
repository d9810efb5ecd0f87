import { withoutInvisible } from '#platform/kernel';
import { BoundedMemo } from './memo.ts';

/** Letters that Unicode does not decompose although people type the plain ones. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  '’': "'",
  ʼ: "'",
  '‘': "'",
};
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');
const BEYOND_ASCII = /[^\0-\x7f]+/g;
/** Accents of Latin, Greek and Cyrillic. Marks of other scripts are part of the letters and are kept. */
const ACCENTS = /[\u0300-\u036f]+/g;
/** The vowel am of Thai and Lao, with an optional tone mark inside. NFKC decomposes it, dictionaries do not. */
const THAI_AM = /\u0e4d([\u0e48-\u0e4b]?)\u0e32/g;
const LAO_AM = /\u0ecd([\u0ec8-\u0ecb]?)\u0eb2/g;

const folded = new BoundedMemo<string>(20_000, foldRun);

/**
 * Returns the form in which words are compared: compatibility forms unified (NFKC), lower case, without accents and
 * characters that are not shown. Total: lone surrogates become U+FFFD. Only runs beyond ASCII are normalised, so ASCII has the
 * speed of `toLowerCase`.
 */
export function foldText(text: string): string {
  return text.toLowerCase().replace(BEYOND_ASCII, (run) => (run.length <= 32 ? folded.get(run) : foldRun(run)));
}

function foldRun(run: string): string {
  return withoutInvisible(run)
    .toWellFormed()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(THAI_AM, '$1\u0e33')
    .replace(LAO_AM, '$1\u0eb3')
    .toLowerCase()
    .replace(PLAIN_LETTERS, (letter) => PLAIN[letter] as string);
}
