const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
/** By script extensions, so that the long mark of kana belongs to them. */
const UNSPACED_CLASS = SCRIPTS.map((script) => `\\p{scx=${script}}`).join('');
const UNSPACED = new RegExp(`[${UNSPACED_CLASS}]`, 'u');
const RUNS = new RegExp(`[${UNSPACED_CLASS}]+|[^${UNSPACED_CLASS}]+`, 'gu');
const PAIRED_RUNS = /[\p{sc=Han}\p{sc=Hangul}]+/gu;
/** One or two such characters are already there as a pair or part of one. */
const COVERED_BY_PAIRS = /^[\p{sc=Han}\p{sc=Hangul}]{1,2}$/u;
const SINGLE_KANA = /^[\p{scx=Hiragana}\p{scx=Katakana}]$/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** @returns whether a text holds writing without spaces between words, or Korean, whose words carry their particles */
export const isUnspaced = (text: string): boolean => UNSPACED.test(text);

/** Cuts a token where such writing meets other writing: 使用Redis缓存 gives 使用, redis, 缓存. */
export const writingRuns = (token: string): readonly string[] => token.match(RUNS) ?? [];

/**
 * The terms of a folded run of such writing: the words of ICU's dictionary (Intl.Segmenter), and for Han and Hangul every
 * pair of neighbouring characters. The dictionary cuts the same characters differently in different sentences; the pairs
 * are the same in each, so a question meets its text either way. A pair that is also a word is counted once, and a lone
 * kana (a particle) is no term.
 */
export function segmentTerms(run: string): string[] {
  const terms = (run.match(PAIRED_RUNS) ?? []).flatMap(pairs);
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    if (isWordLike && !COVERED_BY_PAIRS.test(segment) && !SINGLE_KANA.test(segment)) terms.push(segment);
  }
  return terms;
}

/** @returns overlapping pairs of characters; a single character stands for itself */
function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}
