import { withoutInvisible } from '#platform/kernel';

/** More than the 512 tokens that a model reads, in any language; a longer question is cut before it is analysed. */
const MOST_CHARACTERS = 20_000;

const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;

/** Removes characters from the end. A regular expression would look at each run of them from each of its characters. */
export function withoutEnd(text: string, characters: RegExp): string {
  let end = text.length;
  while (end > 0 && characters.test(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

/**
 * Returns the part of a question that a search reads. Null: it has no letter and no number, as `???` or an emoji. It then
 * finds nothing: it has no word, and models give all such texts nearly the same vector, which is near to short texts.
 * White space is reduced to single spaces, and characters that are not shown are removed.
 */
export function readableQuestion(text: string): string | null {
  const read = withoutInvisible(text.slice(0, MOST_CHARACTERS)).replaceAll(/\s+/g, ' ').trim();
  return LETTER_OR_NUMBER.test(read) ? read : null;
}
