/**
 * Caches a function of short strings and clears the whole cache when it is full: words recur within a few texts, and a
 * plain Map read is several times cheaper than LRU order.
 */
export class BoundedMemo<V> {
  readonly #values = new Map<string, V>();
  readonly #capacity: number;
  readonly #compute: (key: string) => V;

  constructor(capacity: number, compute: (key: string) => V) {
    this.#capacity = capacity;
    this.#compute = compute;
  }

  get(key: string): V {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = this.#compute(key);
    if (this.#values.size >= this.#capacity) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }
}
