/** The sort key of results. */
export interface RankKey {
  readonly score: number;
  readonly slot: number;
  readonly ordinal: number;
}

/** Tests whether `a` ranks before `b`: higher score, then lower slot, then lower ordinal. Total, so pages never overlap. */
function precedes(a: RankKey, b: RankKey): boolean {
  if (a.score !== b.score) return a.score > b.score;
  if (a.slot !== b.slot) return a.slot < b.slot;
  return a.ordinal < b.ordinal;
}

/** Keeps the best `limit` offers in a heap with the lowest at its root. */
export class Top<T extends RankKey> {
  readonly #heap: T[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Minimum score of an offer that can enter; a cheap check before the offer is built. */
  get threshold(): number {
    return this.#heap.length < this.#limit ? -Infinity : (this.#heap[0]?.score ?? Infinity);
  }

  wouldEnter(offer: RankKey): boolean {
    if (this.#heap.length < this.#limit) return true;
    const last = this.#heap[0];
    return last !== undefined && precedes(offer, last);
  }

  enter(offer: T): void {
    if (this.#heap.length < this.#limit) {
      this.#heap.push(offer);
      this.#rise(this.#heap.length - 1);
    } else {
      this.#heap[0] = offer;
      this.#sink();
    }
  }

  sorted(): T[] {
    return this.#heap.toSorted((a, b) => (precedes(a, b) ? -1 : 1));
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfLater(at, parent)) return;
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      if (left >= this.#heap.length) return;
      const later = right < this.#heap.length && precedes(this.#heap[left] as T, this.#heap[right] as T) ? right : left;
      if (!this.#swapIfLater(later, at)) return;
      at = later;
    }
  }

  /** Swaps child and parent if the child ranks after the parent. */
  #swapIfLater(child: number, parent: number): boolean {
    const below = this.#heap[child] as T;
    const above = this.#heap[parent] as T;
    if (!precedes(above, below)) return false;
    this.#heap[parent] = below;
    this.#heap[child] = above;
    return true;
  }
}
