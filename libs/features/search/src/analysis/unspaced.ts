const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
/** Matches script extensions, which include the long vowel mark of kana. */
const UNSPACED_CLASS = SCRIPTS.map((script) => `\\p{scx=${script}}`).join('');
const UNSPACED = new RegExp(`[${UNSPACED_CLASS}]`, 'u');
const RUNS = new RegExp(`[${UNSPACED_CLASS}]+|[^${UNSPACED_CLASS}]+`, 'gu');
const PAIRED_RUNS = /[\p{sc=Han}\p{sc=Hangul}]+/gu;
/** One or two characters that `pairs` returns already. */
const COVERED_BY_PAIRS = /^[\p{sc=Han}\p{sc=Hangul}]{1,2}$/u;
const SINGLE_KANA = /^[\p{scx=Hiragana}\p{scx=Katakana}]$/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Tests whether a text contains a script without spaces between words, or Korean, where particles join words. */
export const isUnspaced = (text: string): boolean => UNSPACED.test(text);

/** Splits a token where such a script meets another one: 使用Redis缓存 gives 使用, redis, 缓存. */
export const writingRuns = (token: string): readonly string[] => token.match(RUNS) ?? [];

/**
 * Returns the terms of a folded run of such a script: the words of ICU's dictionary (Intl.Segmenter), and for Han and
 * Hangul every pair of neighbouring characters. The dictionary splits the same characters differently in different
 * sentences, the pairs do not. A pair that is also a word counts once; a single kana (a particle) is not a term.
 */
export function segmentTerms(run: string): string[] {
  const terms = (run.match(PAIRED_RUNS) ?? []).flatMap(pairs);
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    if (isWordLike && !COVERED_BY_PAIRS.test(segment) && !SINGLE_KANA.test(segment)) terms.push(segment);
  }
  return terms;
}

/** Returns overlapping pairs of characters, or the character itself if there is only one. */
function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}
