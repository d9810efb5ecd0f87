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

/** @param options.entries streams that it holds at the most; the least recently used goes first */
export function createFoldCache(options: { readonly entries: number }): FoldCache {
  return new LRUCache<string, Fold>({ max: options.entries });
}
