import { withoutInvisible } from '#platform/kernel';
import { HAS_IDENTIFIER_CHARACTER, MAX_WHOLE_LENGTH, THOUSANDS, WORDS } from './english-terms.ts';
import { foldText } from './fold.ts';
import type { LanguageRules } from './languages.ts';
import { BoundedMemo } from './memo.ts';
import { isUnspaced, segmentTerms, writingRuns } from './unspaced.ts';

const APOSTROPHES = /[’‘ʼ]/g;
/** A word that a stemmer may read. Longer ones are no words. */
const STEMMED = /^[\p{L}\p{M}]{2,40}$/u;

/** Words whose terms are kept for each language; they take 4 MB. */
const REMEMBERED = 20_000;
/** Languages of which words are kept. */
const MOST_MEMOS = 8;

const memos = new Map<string, BoundedMemo<readonly string[]>>();

/** Returns the words of a text in lower case with their accents, and words that are joined without spaces as one. */
export const rawTokens = (text: string): readonly string[] =>
  withoutInvisible(text).toWellFormed().normalize('NFC').replaceAll(APOSTROPHES, "'").toLowerCase().match(WORDS) ?? [];

/** Returns the terms of a text in a language other than English; of a text of stop words only, all its words. */
export function analyseIn(text: string, rules: LanguageRules): string[] {
  const tokens = rawTokens(text);
  const terms = tokens.flatMap((token) => termsIn(token, rules));
  return terms.length === 0 ? tokens.map(foldWord) : terms;
}

/** Returns the terms of one of {@link rawTokens}. */
export function termsIn(token: string, rules: LanguageRules): readonly string[] {
  if (token.length > MAX_WHOLE_LENGTH) return read(token, rules);
  let memo = memos.get(rules.language);
  if (memo === undefined) {
    memo = new BoundedMemo(REMEMBERED, (word) => read(word, rules));
    memos.set(rules.language, memo);
    const [oldest] = memos.keys();
    if (memos.size > MOST_MEMOS && oldest !== undefined) memos.delete(oldest);
  }
  return memo.get(token);
}

function read(token: string, rules: LanguageRules): readonly string[] {
  if (isUnspaced(token)) {
    const runs = writingRuns(foldText(token));
    return runs.flatMap((run) =>
      isUnspaced(run) ? segmentTerms(run) : (run.match(WORDS) ?? []).flatMap((word) => read(word, rules)),
    );
  }
  if (THOUSANDS.test(token)) return [token.replaceAll(',', '')];
  const parts = token.split(/[._:@,'-]+/).filter((part) => part !== '');
  if (parts.length < 2) return oneWord(token, rules);
  // An elided article, as in "l'eau", is no word.
  const terms = parts.flatMap((part) => (token.includes("'") && part.length === 1 ? [] : oneWord(part, rules)));
  const whole = foldWord(token);
  if (HAS_IDENTIFIER_CHARACTER.test(whole) && whole.length <= MAX_WHOLE_LENGTH) terms.unshift(whole);
  return terms;
}

function oneWord(word: string, rules: LanguageRules): readonly string[] {
  if (rules.isStopWord(word)) return [];
  return [STEMMED.test(word) ? rules.stem(word) || foldWord(word) : foldWord(word)];
}

/** Without the spaces into which Unicode decomposes some letters, such as U+FC5E, together with their marks. */
const foldWord = (word: string): string => foldText(word).replaceAll(' ', '');
