/** More than the 512 tokens that a model reads, in any language; a longer question is cut before it is analysed. */
const MOST_CHARACTERS = 20_000;

const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;

/**
 * Returns the part of a question that a search reads. Null: it has no letter and no number, as `???` or an emoji. It then
 * finds nothing: it has no word, and models give all such texts nearly the same vector, which is near to short texts.
 */
export function readableQuestion(text: string): string | null {
  const read = text.trim().slice(0, MOST_CHARACTERS);
  return LETTER_OR_NUMBER.test(read) ? read : null;
}
