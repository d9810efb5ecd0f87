import { isStopWord, stem } from './english.ts';
import { foldText } from './fold.ts';
import { termHash } from './hash.ts';
import { BoundedMemo } from './memo.ts';
import { isUnspaced, segmentTerms, writingRuns } from './unspaced.ts';

/**
 * A word, or words held together without spaces: `err_4711`, `foo.bar`, `2023-05-08`, `tom@example.com`, `well-known`,
 * `don't`. Every repetition starts with its joiner, so matching is linear in the text whatever it holds.
 */
const ASCII_WORDS = /[a-z0-9]+(?:(?:_+|[.:@',-])[a-z0-9]+)*/g;
const WORDS = /[\p{L}\p{N}\p{M}]+(?:(?:_+|[.:@',-])[\p{L}\p{N}\p{M}]+)*/gu;
const IS_ASCII = /^[\0-\x7f]*$/;

const IS_PLAIN = /^[a-z]+$/;
const THOUSANDS = /^\d{1,3}(?:,\d{3})+$/;
/** "isn't", "couldn't": a stop word in every case. */
const NEGATED = /n't$/;
const CONTRACTION = /^(.*)'(?:s|d|m|re|ve|ll)$/;
const HOLDS_IDENTIFIER = /[0-9._@]/;
/** Longer runs of joined words (tables of contents, dumps) are searched by their parts only. */
const LONGEST_WHOLE = 64;

const NOTHING: readonly string[] = [];

/** The terms of one token; most tokens of a text have been seen before. */
const termsOfToken = new BoundedMemo<readonly string[]>(60_000, readToken);

/**
 * The terms of a text in their order, the same for documents and questions: folded (`foldText`), English stop words left
 * out, English words stemmed, everything else as it stands. Identifiers and numbers give their whole and their parts;
 * writing without spaces gives dictionary words and pairs of characters. A text of nothing but stop words keeps them, so
 * that "The Who" can be asked for.
 *
 * Total: any string is text. Quotes, wildcards and operators separate words and mean nothing.
 */
export function analyse(text: string): string[] {
  const tokens = tokenize(text);
  const terms: string[] = [];
  for (const token of tokens) {
    const found = token.length <= LONGEST_WHOLE ? termsOfToken.get(token) : readToken(token);
    for (const term of found) terms.push(term);
  }
  return terms.length === 0 ? tokens.filter((token) => IS_PLAIN.test(token)) : terms;
}

/** @returns the folded words as they are written, before stop words and stems; for names and fixed phrases */
export function plainWords(text: string): string[] {
  return tokenize(text).map((token) => CONTRACTION.exec(token)?.[1] ?? token);
}

export interface QueryTerm {
  readonly term: string;
  readonly hash: number;
  /** How often the question says it. */
  readonly weight: number;
}

/** @returns the distinct terms of a question in order of first appearance */
export function queryTerms(text: string): QueryTerm[] {
  const weights = new Map<string, number>();
  for (const term of analyse(text)) weights.set(term, (weights.get(term) ?? 0) + 1);
  return [...weights].map(([term, weight]) => ({ term, hash: termHash(term), weight }));
}

function tokenize(text: string): readonly string[] {
  const folded = foldText(text);
  return folded.match(IS_ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? NOTHING;
}

function readToken(token: string): readonly string[] {
  if (IS_PLAIN.test(token)) return isStopWord(token) ? NOTHING : [stem(token)];
  if (isUnspaced(token)) return writingRuns(token).flatMap(readRun);
  if (THOUSANDS.test(token)) return [token.replaceAll(',', '')];

  if (NEGATED.test(token)) return NOTHING;
  const contracted = CONTRACTION.exec(token)?.[1];
  if (contracted !== undefined) return readToken(contracted);

  const parts = token.split(/[._:@,-]+/).filter((part) => part !== '');
  if (parts.length < 2) return oneWord(token);
  const terms = parts.flatMap(oneWord);
  if (HOLDS_IDENTIFIER.test(token) && token.length <= LONGEST_WHOLE) terms.unshift(token);
  return terms;
}

function readRun(run: string): readonly string[] {
  if (isUnspaced(run)) return segmentTerms(run);
  return (run.match(WORDS) ?? NOTHING).flatMap(readToken);
}

/** A part of a compound: `o'brien` is one word, a stop word is none. */
function oneWord(part: string): readonly string[] {
  const word = part.replaceAll("'", '');
  if (word === '' || isStopWord(word)) return NOTHING;
  return [stem(word)];
}
