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
export interface FoldCache<Kept = Fold> {
  get(key: string): Kept | undefined;
  set(key: string, fold: Kept): void;
  delete(key: string): void;
}

/**
 * @param options.characters of the states as JSON that it holds at the most; the least recently used goes first. What they
 *   take in memory is some four times as many bytes
 */
export function createFoldCache<Kept extends { readonly state: unknown } = Fold>(options: {
  readonly characters: number;
}): FoldCache<Kept> {
  return new LRUCache<string, Kept>({
    maxSize: options.characters,
    sizeCalculation: ({ state }) => JSON.stringify(state).length,
  });
}
