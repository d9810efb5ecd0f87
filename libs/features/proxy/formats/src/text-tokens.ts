import { LRUCache } from 'lru-cache';
import { contentHash } from '#platform/kernel';
import type { CountTokens } from '#platform/tokens';

/** Counts in memory, about 200 bytes each. */
const TEXTS = 20_000;
/** Characters that one call has counted. */
export const MOST_COUNTED = 400_000;

/**
 * Counts texts of calls to language models. A text that was counted before is found by its hash, so of a conversation
 * that grows only the new turns are counted. Of new text beyond `MOST_COUNTED` the tokens are estimated, and counted by
 * later calls.
 */
export class TextTokens {
  readonly #counts = new LRUCache<string, number>({ max: TEXTS });
  readonly #exact: CountTokens;
  readonly #estimate: CountTokens;

  constructor(exact: CountTokens, estimate: CountTokens) {
    this.#exact = exact;
    this.#estimate = estimate;
  }

  readonly count: CountTokens = async (texts) => {
    const hashes = texts.map((text) => contentHash(text));
    const counts = hashes.map((hash) => this.#counts.get(hash));
    const set = (places: readonly number[], tokens: readonly number[]): void => {
      for (const [i, place] of places.entries()) counts[place] = tokens[i];
    };
    let length = 0;
    const added = counts.flatMap((count, place) => (count === undefined ? place : []));
    const { counted = [], estimated = [] } = Object.groupBy(added, (place) => {
      length += (texts[place] as string).length;
      return length <= MOST_COUNTED ? 'counted' : 'estimated';
    });
    const textsAt = (places: readonly number[]): string[] => places.map((place) => texts[place] as string);
    if (counted.length > 0) set(counted, await this.#exact(textsAt(counted)));
    for (const place of counted) this.#counts.set(hashes[place] as string, counts[place] as number);
    if (estimated.length > 0) set(estimated, await this.#estimate(textsAt(estimated)));
    return counts as number[];
  };
}
