import { languageAmong, languageOf } from '#processing/languages';
import { isStopWord } from './english.ts';
import { rulesOf } from './languages.ts';

/** UTF-16 code units that are looked at. */
const SAMPLE = 2_000;
/** A text without English stop words must have so many words to count as another language by its letters alone. */
const MIN_WORDS = 4;
/** The detector takes short texts in these languages for one without stop words here, such as Latin or Afrikaans. */
const OFTEN_CONFUSED = ['pt', 'nl', 'es', 'it', 'fr', 'de', 'sv'] as const;

/**
 * Returns whether a text is in another language than English. Of short English sentences the detector takes one in thirty for
 * another language, so the text must have more stop words of this language than English ones.
 * @param language as it was detected; null: not known. Default: is detected
 */
export function isOtherThanEnglish(text: string, language: string | null = languageOf(text)): boolean {
  const sample = text.slice(0, SAMPLE);
  const words = sample.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  if (words.length === 0) return false;
  if (isInOtherScript(words)) return true;
  if (language === null || language === 'en') return false;
  const english = words.filter(isStopWord).length;
  const own = Math.max(...stopWordsIn(words, language));
  if (own !== english) return own > english;
  const hasOtherLetters = /[^\p{ASCII}]/u.test(words.join(''));
  if (!hasOtherLetters && (english > 0 || words.length < MIN_WORDS)) return false;
  return languageAmong(sample, [language, 'en']) !== 'en';
}

function stopWordsIn(words: readonly string[], language: string): readonly number[] {
  const languages = rulesOf(language) === null ? OFTEN_CONFUSED : [language];
  return languages.map((one) => words.filter((word) => rulesOf(one)?.isStopWord(word)).length);
}

/** Whether most letters are of scripts in which English is not written. */
function isInOtherScript(words: readonly string[]): boolean {
  const letters = words.join('').replace(/\p{M}/gu, '');
  const latin = letters.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin < letters.length / 2;
}
