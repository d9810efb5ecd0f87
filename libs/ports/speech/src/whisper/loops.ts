/** So many words that are said again and again are a sentence. */
const SENTENCE = 8;
const MAX_PERIOD = 40;
/** How often a sentence is said in a row, or fewer words, until that is no speech: the model runs in a circle. */
const SENTENCE_REPETITIONS = 3;
const REPETITIONS = 4;

/**
 * Finds out whether tokens end with a sequence that is repeated, whatever the times between the words are.
 * @param firstTime tokens from this one on are times
 * @returns how many of the tokens come before the first repetition; null: they end with none
 */
export function beforeLoop(said: readonly number[], firstTime: number): number | null {
  const places: number[] = [];
  for (let at = said.length - 1; at >= 0 && places.length < MAX_PERIOD * REPETITIONS; at--) {
    if (said[at]! < firstTime) places.push(at);
  }
  // The last word comes first.
  for (let period = 1; period <= MAX_PERIOD; period++) {
    const length = period * (period < SENTENCE ? REPETITIONS : SENTENCE_REPETITIONS);
    if (length > places.length) continue;
    let isRepeated = true;
    for (let i = 0; isRepeated && i < length - period; i++) {
      isRepeated = said[places[i]!] === said[places[i + period]!];
    }
    if (isRepeated) return places[length - period - 1]!;
  }
  return null;
}
