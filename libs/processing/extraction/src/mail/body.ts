import { withoutInvisible } from '#platform/kernel';
import { UNSPACED_LETTERS } from '../characters.ts';
import { ExtractionError } from '../failures.ts';

const ADDRESS = /(?:https?:\/\/|www\.)\S+/gi;
/** A word, or a letter of a script without spaces. */
const WORD = new RegExp(`[${UNSPACED_LETTERS}]|[\\p{L}\\p{N}]+`, 'gu');

/**
 * Returns the text of a message: the plain form, unless it only stands in for the page, as `Open this message in your browser`
 * does.
 * @param plain null: there is none. @param page reads the form that programs show; null: there is none
 * @throws ExtractionError if there is only a page, and it cannot be read
 */
export async function bodyOf(plain: string | null, page: (() => Promise<string>) | null): Promise<string> {
  if (page === null) return plain ?? '';
  const isWordless = plain === null || plain.trim() === '';
  try {
    const text = await page();
    return isWordless || isStub(plain, text) ? text : plain;
  } catch (error) {
    if (isWordless || !(error instanceof ExtractionError)) throw error;
    return plain;
  }
}

/** Whether a fifth of the words of the page are not in the plain form, and the page is more than an addition to it. */
function isStub(plain: string, page: string): boolean {
  const known = wordsIn(plain);
  const shown = wordsIn(page);
  const missing = [...shown].filter((word) => !known.has(word)).length;
  return missing > shown.size / 5 && shown.size > known.size / 3;
}

const wordsIn = (text: string): Set<string> =>
  new Set(withoutInvisible(text).replace(ADDRESS, ' ').toLowerCase().match(WORD));
