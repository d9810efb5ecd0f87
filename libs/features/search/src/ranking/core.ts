import { CALENDAR_NAMES } from '../dates/names.ts';
import { withoutEnd } from '../question/readable.ts';

const QUESTION_WORDS =
  /^(?:(?:when|where|why|who|whom|whose|what|which)|how(?:\s+(?:many|much|long|often|old|far))?)\b(?:'s|’s)?\s*/i;
const AUXILIARIES = /^(?:did|does|do|is|are|was|were|has|have|had|will|would|can|could|should)\b\s*/i;
/** A longer text is its own core: its vector would hardly change, and the model would read as much again for it. */
const MOST_CHARACTERS = 1_000;
/** A capitalized word that does not begin the text, with the ending of a possessive. */
const NAMES = /(?<=\s)(\p{Lu}[\p{Ll}\p{M}]+)(?:['’]s)?(?![\p{L}\p{N}])/gu;

/**
 * Returns an English question without its question word and without names: what it asks about. `When did Caroline go to
 * the support group?` is about `go to the support group`. Without a question word and a name, the text is its own core; so is one of more than 1,000 characters.
 */
export function coreOf(question: string): string {
  const text = question.trim();
  if (text.length > MOST_CHARACTERS) return text;
  const nameless = text.replaceAll(NAMES, (whole, name: string) => (CALENDAR_NAMES.includes(name) ? whole : ''));
  const asked = nameless.replace(QUESTION_WORDS, '').replace(AUXILIARIES, '');
  const core = withoutEnd(asked, /[?\s]/).replaceAll(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(core) ? core : text;
}
