/** Weights are quarters of a token, so that they are whole numbers and the weight of a range is the sum of its parts. */
export const WEIGHT_OF_TOKEN = 4;

/**
 * The estimated weight of `text.slice(start, end)` in quarters of a token. A rule of thumb
 * that needs no vocabulary: four letters of Latin text make a token, two of most other alphabets, one ideograph, syllable or emoji.
 */
export function weigh(text: string, start: number, end: number): number {
  let weight = 0;
  for (let position = start; position < end; position++) {
    const code = text.charCodeAt(position);
    if (code < 0x250) weight += 1;
    else if (code < 0x1100) weight += 2;
    else if (code >= 0x2000 && code < 0x2e80) weight += 2;
    // Half of a pair: both together weigh one token.
    else if (code >= 0xd800 && code < 0xe000) weight += 2;
    else weight += 4;
  }
  return weight;
}

/** About how many tokens of an embedding model a text takes. Linear, needs no vocabulary. */
export function estimateTokens(text: string): number {
  return Math.ceil(weigh(text, 0, text.length) / WEIGHT_OF_TOKEN);
}
