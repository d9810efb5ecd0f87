/** Weights are quarter tokens, so that they are integers and the weight of a range is the sum of its parts. */
export const WEIGHT_OF_TOKEN = 4;

/**
 * Estimates the weight of `text.slice(start, end)` in quarter tokens, without a vocabulary: a token is four letters of
 * Latin text, two of most other alphabets, or one ideograph, syllable or emoji.
 */
export function weigh(text: string, start: number, end: number): number {
  let weight = 0;
  for (let position = start; position < end; position++) {
    const code = text.charCodeAt(position);
    if (code < 0x250) weight += 1;
    else if (code < 0x1100) weight += 2;
    else if (code >= 0x2000 && code < 0x2e80) weight += 2;
    // A surrogate: the pair weighs one token.
    else if (code >= 0xd800 && code < 0xe000) weight += 2;
    else weight += 4;
  }
  return weight;
}

/** Estimates the number of tokens of a text in an embedding model. Linear. */
export function estimateTokens(text: string): number {
  return Math.ceil(weigh(text, 0, text.length) / WEIGHT_OF_TOKEN);
}
