import { analyseEnglish } from './english-terms.ts';
import { rulesOf } from './languages.ts';
import { analyseIn } from './other-terms.ts';

export { plainWords } from './english-terms.ts';

/**
 * Returns the terms of a text in order, repetitions included.
 * @param language of the text; null, and one without a stemmer: as English
 */
export function analyse(text: string, language: string | null = null): string[] {
  const rules = rulesOf(language);
  return rules === null ? analyseEnglish(text) : analyseIn(text, rules);
}
