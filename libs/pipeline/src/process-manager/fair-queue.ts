/** What waits for its turn: one piece of work on one document. */
export interface QueuedItem {
  /** Whose turn it counts as: organization and first tag. */
  readonly tenant: string;
  /** Of the content, in bytes. 0: not known. */
  readonly size: number;
}

export interface ConcurrencyLimit {
  /** Taken and not released yet, over all tenants. */
  readonly total: number;
  /** The same for one tenant. */
  readonly perTag: number;
  /** Bytes of content taken and not released yet. An item that is larger by itself is taken alone. Null: unlimited. */
  readonly bytes: number | null;
}

/**
 * Round-robin over tenants with a bounded number in flight for each: five thousand documents queued under one tag do not
 * delay the single document under another.
 */
export class FairQueue<Item extends QueuedItem> {
  #limit: ConcurrencyLimit;
  /** Waiting items by tenant; the order of the map is the order of turns. */
  readonly #waiting = new Map<string, Set<Item>>();
  readonly #inFlight = new Map<string, number>();
  #total = 0;
  #bytes = 0;

  constructor(limit: ConcurrencyLimit) {
    this.#limit = limit;
  }

  get waiting(): number {
    let count = 0;
    for (const items of this.#waiting.values()) count += items.size;
    return count;
  }

  get inFlight(): number {
    return this.#total;
  }

  /** Takes effect from now on; what is in flight beyond it stays so until it is released. */
  limit(limit: ConcurrencyLimit): void {
    this.#limit = limit;
  }

  add(item: Item): void {
    const items = this.#waiting.get(item.tenant);
    if (items) items.add(item);
    else this.#waiting.set(item.tenant, new Set([item]));
  }

  remove(item: Item): void {
    const items = this.#waiting.get(item.tenant);
    if (items?.delete(item) && items.size === 0) this.#waiting.delete(item.tenant);
  }

  /** Whether `take` would return an item. */
  ready(): boolean {
    return this.#next() !== null;
  }

  /** Takes the next item by turn. Null: none waits, or the limits are reached. */
  take(): Item | null {
    const next = this.#next();
    if (next === null) return null;
    const { tenant, item } = next;
    const items = this.#waiting.get(tenant) as Set<Item>;
    items.delete(item);
    // Behind all others, for the next turn.
    this.#waiting.delete(tenant);
    if (items.size > 0) this.#waiting.set(tenant, items);
    this.#inFlight.set(tenant, (this.#inFlight.get(tenant) ?? 0) + 1);
    this.#total += 1;
    this.#bytes += item.size;
    return item;
  }

  /** An item that was taken is done, or given up. */
  release(item: Item): void {
    const left = (this.#inFlight.get(item.tenant) ?? 0) - 1;
    if (left > 0) this.#inFlight.set(item.tenant, left);
    else this.#inFlight.delete(item.tenant);
    this.#total -= 1;
    this.#bytes -= item.size;
  }

  #next(): { readonly tenant: string; readonly item: Item } | null {
    const { total, perTag } = this.#limit;
    if (this.#total >= total) return null;
    for (const [tenant, items] of this.#waiting) {
      if ((this.#inFlight.get(tenant) ?? 0) >= perTag) continue;
      const item = items.values().next().value as Item;
      if (this.#hasRoomFor(item)) return { tenant, item };
    }
    return null;
  }

  #hasRoomFor({ size }: Item): boolean {
    const { bytes } = this.#limit;
    return bytes === null || this.#total === 0 || this.#bytes + size <= bytes;
  }
}
