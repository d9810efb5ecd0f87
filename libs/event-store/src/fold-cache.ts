import { LRUCache } from 'lru-cache';

/** The state of a stream at a revision. */
export interface Fold {
  readonly revision: number;
  readonly state: unknown;
  /** Whether the stream was erased when it was folded. */
  readonly erased: boolean;
  /** Revision of the newest known snapshot; -1: none. */
  readonly snapshot: number;
}

/** Recently used folds, in memory. Keys name model and stream. */
export interface FoldCache<Kept = Fold> {
  get(key: string): Kept | undefined;
  set(key: string, fold: Kept): void;
  delete(key: string): void;
}

/**
 * Creates a cache that drops the least recently used folds.
 * @param options.characters limit of the states as JSON; in memory they take about four bytes per character
 */
export function createFoldCache<Kept extends { readonly state: unknown } = Fold>(options: {
  readonly characters: number;
}): FoldCache<Kept> {
  return new LRUCache<string, Kept>({
    maxSize: options.characters,
    sizeCalculation: ({ state }) => JSON.stringify(state).length,
  });
}
