import { LRUCache } from 'lru-cache';

/** The state of a stream at a revision. */
export interface Fold {
  readonly revision: number;
  readonly state: unknown;
  /** Whether the stream was erased when it was folded. */
  readonly erased: boolean;
  /** Revision of the newest snapshot that is known to be held; -1: none. */
  readonly snapshot: number;
}

/** Recently used folds; in memory only. Keys name model and stream. */
export interface FoldCache {
  get(key: string): Fold | undefined;
  set(key: string, fold: Fold): void;
  delete(key: string): void;
}

/**
 * @param options.characters of the states as JSON that it holds at the most; the least recently used goes first. What they
 *   take in memory is some four times as many bytes
 */
export function createFoldCache(options: { readonly characters: number }): FoldCache {
  return new LRUCache<string, Fold>({
    maxSize: options.characters,
    sizeCalculation: ({ state }) => charactersOf(state),
  });
}

/** At least 1, as a cache wants it. */
export function charactersOf(state: unknown): number {
  return JSON.stringify(state).length;
}
