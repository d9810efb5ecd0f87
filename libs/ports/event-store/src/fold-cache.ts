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
  /** @param isInWork the stream will be needed again soon */
  set(key: string, fold: Kept, isInWork?: boolean): void;
  delete(key: string): void;
}

/** A kept fold, with its size when it was measured. */
interface MeasuredFold<Kept> {
  readonly fold: Kept;
  /** Of the state as JSON. */
  readonly characters: number;
  readonly revision: number;
}

/** A state is measured again when its stream is longer by this part: otherwise each event would cost more than the one before. */
const GROWTH = 1 / 16;

/**
 * Creates a cache that drops the least recently used folds. Those of streams in work have space of their own: work is done in
 * the order of its arrival, so otherwise the folds that were just used would displace the ones that are needed next.
 * @param options.characters limit of the states as JSON; in memory they take one to two bytes per character
 * @param options.inWork the same for streams in work. Default: they share the space of the others
 */
export function createFoldCache<Kept extends Pick<Fold, 'revision' | 'state'> = Fold>(options: {
  readonly characters: number;
  readonly inWork?: number;
}): FoldCache<Kept> {
  const cacheOf = (characters: number) =>
    new LRUCache<string, MeasuredFold<Kept>>({ maxSize: characters, sizeCalculation: ({ characters }) => characters });
  const idle = cacheOf(options.characters);
  const inWork = options.inWork === undefined ? idle : cacheOf(options.inWork);
  return {
    get: (key) => (inWork.get(key) ?? idle.get(key))?.fold,
    set(key, fold, isInWork = false) {
      const measured = measure(fold, inWork.peek(key) ?? idle.peek(key));
      if (inWork !== idle) (isInWork ? idle : inWork).delete(key);
      (isInWork ? inWork : idle).set(key, measured);
    },
    delete(key) {
      inWork.delete(key);
      idle.delete(key);
    },
  };
}

function measure<Kept extends Pick<Fold, 'revision' | 'state'>>(
  fold: Kept,
  before: MeasuredFold<Kept> | undefined,
): MeasuredFold<Kept> {
  const { revision, state } = fold;
  const isClose = before !== undefined && Math.abs(revision - before.revision) <= before.revision * GROWTH;
  return isClose ? { ...before, fold } : { fold, characters: JSON.stringify(state).length, revision };
}
