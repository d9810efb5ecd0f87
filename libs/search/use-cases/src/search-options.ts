import type { Filter } from '#search';

export interface SearchOptions {
  /** `*` lists by recency. */
  readonly question: string;
  readonly filter: Filter | null;
  readonly filepath: string | null;
  readonly limit: number;
}

/** The parts of a passage's score, for people and for `explain`. */
export interface Explanation {
  /** Cosine of the passage, and of the passage with its neighbours; null: searched by words alone. */
  readonly cosine: number | null;
  readonly cosineWide: number | null;
  /** Share of the question's terms that the passage contains, weighted by rarity, 0–1. */
  readonly coverage: number;
}
