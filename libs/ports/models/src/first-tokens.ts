import { MAX_CHARACTERS } from './onnx-model.ts';

/** Of most texts, these many characters are more than the 512 tokens that a model reads. */
const FIRST_CHARACTERS = 4_000;

/**
 * Tokenizes the beginning of a text, because the time of the tokenizer grows with the length of what it is given.
 * @param encode returns the tokens of a text
 * @returns all tokens of the first `MAX_CHARACTERS`, or more than `enough` of which the first `enough - 1` are those
 */
export function firstTokens(
  text: string,
  enough: number,
  encode: (text: string) => readonly number[],
): readonly number[] {
  // A word that is cut has other tokens, so the text is cut between words.
  const end = text.length > FIRST_CHARACTERS ? text.lastIndexOf(' ', FIRST_CHARACTERS) : -1;
  if (end > 0) {
    const ids = encode(text.slice(0, end));
    if (ids.length > enough) return ids;
  }
  return encode(text.slice(0, MAX_CHARACTERS));
}
