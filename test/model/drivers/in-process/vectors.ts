import type { QuantizedVector, VectorStore } from '#ports/vector-store';

/** Vectors in memory, which outlive the lives that use them. */
export class InProcessVectors implements VectorStore {
  readonly #vectors = new Map<string, QuantizedVector>();
  readonly #keysOf = new Map<string, Set<string>>();

  async get(keys: readonly string[]): Promise<readonly (QuantizedVector | null)[]> {
    return keys.map((key) => this.#vectors.get(key) ?? null);
  }

  async put(owner: string, entries: Parameters<VectorStore['put']>[1]): Promise<void> {
    for (const { key, vector } of entries) {
      this.#vectors.set(key, vector);
      this.#ownedBy(owner).add(key);
    }
  }

  async claim(owner: string, keys: readonly string[]): Promise<readonly string[]> {
    for (const key of keys) if (this.#vectors.has(key)) this.#ownedBy(owner).add(key);
    return keys.filter((key) => !this.#vectors.has(key));
  }

  async release(owner: string, except: readonly string[] = [], heir?: string): Promise<void> {
    const kept = except.filter((key) => this.#ownedBy(owner).has(key));
    const dropped = [...this.#ownedBy(owner)].filter((key) => !kept.includes(key));
    if (heir !== undefined) for (const key of dropped) this.#ownedBy(heir).add(key);
    this.#keysOf.set(owner, new Set(kept));
    const used = new Set([...this.#keysOf.values()].flatMap((keys) => [...keys]));
    for (const key of [...this.#vectors.keys()]) if (!used.has(key)) this.#vectors.delete(key);
  }

  async *ownersAmong(owners: ReadonlySet<string>): AsyncGenerator<string> {
    for (const owner of this.#keysOf.keys()) if (owners.has(owner)) yield owner;
  }

  async close(): Promise<void> {}

  #ownedBy(owner: string): Set<string> {
    const keys = this.#keysOf.get(owner) ?? new Set();
    this.#keysOf.set(owner, keys);
    return keys;
  }
}
