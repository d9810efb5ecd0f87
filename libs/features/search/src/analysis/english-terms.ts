import { isStopWord, stem } from './english.ts';
import { foldText } from './fold.ts';
import { BoundedMemo } from './memo.ts';
import { isUnspaced, segmentTerms, writingRuns } from './unspaced.ts';

/**
 * A word, or words joined without spaces: `err_4711`, `foo.bar`, `2023-05-08`, `tom@example.com`, `well-known`, `don't`.
 * Every repetition starts with its joiner, so matching is linear in the length of any text.
 */
const ASCII_WORDS = /[a-z0-9]+(?:(?:_+|[.:@',-])[a-z0-9]+)*/g;
export const WORDS = /[\p{L}\p{N}\p{M}]+(?:(?:_+|[.:@',-])[\p{L}\p{N}\p{M}]+)*/gu;
const IS_ASCII = /^[\0-\x7f]*$/;

const IS_PLAIN = /^[a-z]+$/;
export const THOUSANDS = /^\d{1,3}(?:,\d{3})+$/;
/** "isn't", "couldn't": always a stop word. */
const NEGATED = /n't$/;
const CONTRACTION = /^(.*)'(?:s|d|m|re|ve|ll)$/;
export const HAS_IDENTIFIER_CHARACTER = /[0-9._@]/;
/** Characters. Longer runs of joined words (tables of contents, dumps) are indexed by their parts only. */
export const MAX_WHOLE_LENGTH = 64;

const NO_TERMS: readonly string[] = [];

/** The terms of one token; most tokens of a text have occurred before. */
const termsOfToken = new BoundedMemo<readonly string[]>(60_000, readToken);

/**
 * Returns the terms of an English text, in order: folded (`foldText`), without English stop words, English words
 * stemmed, other words unchanged. Identifiers and numbers give the whole and the parts; scripts without spaces give
 * dictionary words and pairs of characters. A text of stop words only keeps them, so that "The Who" can be found.
 *
 * Total: any string is text. Quotes, wildcards and operators separate words and have no meaning.
 */
export function analyseEnglish(text: string): string[] {
  const tokens = tokenize(text);
  const terms: string[] = [];
  for (const token of tokens) {
    const tokenTerms = token.length <= MAX_WHOLE_LENGTH ? termsOfToken.get(token) : readToken(token);
    for (const term of tokenTerms) terms.push(term);
  }
  return terms.length === 0 ? tokens.filter((token) => IS_PLAIN.test(token)) : terms;
}

/** Returns the folded words, stop words included, without stemming; for names and fixed phrases. */
export function plainWords(text: string): string[] {
  return tokenize(text).map((token) => CONTRACTION.exec(token)?.[1] ?? token);
}

function tokenize(text: string): readonly string[] {
  const folded = foldText(text);
  return folded.match(IS_ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? NO_TERMS;
}

/** Returns the terms of one folded English word, or of words joined without spaces. */
export function readToken(token: string): readonly string[] {
  if (IS_PLAIN.test(token)) return isStopWord(token) ? NO_TERMS : [stem(token)];
  if (isUnspaced(token)) return writingRuns(token).flatMap(readRun);
  if (THOUSANDS.test(token)) return [token.replaceAll(',', '')];

  if (NEGATED.test(token)) return NO_TERMS;
  const contracted = CONTRACTION.exec(token)?.[1];
  if (contracted !== undefined) return readToken(contracted);

  const parts = token.split(/[._:@,-]+/).filter((part) => part !== '');
  if (parts.length < 2) return oneWord(token);
  const terms = parts.flatMap(oneWord);
  if (HAS_IDENTIFIER_CHARACTER.test(token) && token.length <= MAX_WHOLE_LENGTH) terms.unshift(token);
  return terms;
}

function readRun(run: string): readonly string[] {
  if (isUnspaced(run)) return segmentTerms(run);
  return (run.match(WORDS) ?? NO_TERMS).flatMap(readToken);
}

/** Returns the term of one part of a compound: `o'brien` is one word; a stop word gives no term. */
function oneWord(part: string): readonly string[] {
  const word = part.replaceAll("'", '');
  if (word === '' || isStopWord(word)) return NO_TERMS;
  return [stem(word)];
}
