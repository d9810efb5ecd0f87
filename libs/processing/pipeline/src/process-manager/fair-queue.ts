/** What waits for its turn: one piece of work on one document. */
export interface QueuedItem {
  /** Whose turn it counts as: organization and who sent the content. */
  readonly caller: string;
  /** Whose turn it counts as among those of its caller: organization and first tag. */
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

export interface QueueLimit extends ConcurrencyLimit {
  /** Taken and not released yet, of one caller. */
  readonly perCaller: number;
}

/**
 * Round-robin over callers, and over the tenants of each, with a bounded number in flight for each: five thousand documents
 * of one key, or under one tag, do not delay the single document of another.
 */
export class FairQueue<Item extends QueuedItem> {
  #limit: QueueLimit;
  /** Waiting items by caller and tenant; the order of both maps is the order of turns. */
  readonly #waiting = new Map<string, Map<string, Set<Item>>>();
  readonly #ofCallers = new Counts();
  readonly #ofTenants = new Counts();
  #total = 0;
  #bytes = 0;

  constructor(limit: QueueLimit) {
    this.#limit = limit;
  }

  get waiting(): number {
    let count = 0;
    for (const tenants of this.#waiting.values()) for (const items of tenants.values()) count += items.size;
    return count;
  }

  get inFlight(): number {
    return this.#total;
  }

  /** Takes effect from now on; what is in flight beyond it stays so until it is released. */
  limit(limit: QueueLimit): void {
    this.#limit = limit;
  }

  add(item: Item): void {
    const tenants = this.#waiting.get(item.caller) ?? new Map<string, Set<Item>>();
    this.#waiting.set(item.caller, tenants);
    const items = tenants.get(item.tenant);
    if (items) items.add(item);
    else tenants.set(item.tenant, new Set([item]));
  }

  remove(item: Item): void {
    const tenants = this.#waiting.get(item.caller);
    const items = tenants?.get(item.tenant);
    if (!items?.delete(item) || items.size > 0) return;
    tenants?.delete(item.tenant);
    if (tenants?.size === 0) this.#waiting.delete(item.caller);
  }

  /** Whether `take` would return an item. */
  ready(): boolean {
    return this.#next() !== null;
  }

  /** Takes the next item by turn. Null: none waits, or the limits are reached. */
  take(): Item | null {
    const item = this.#next();
    if (item === null) return null;
    const { caller, tenant } = item;
    this.remove(item);
    const tenants = this.#waiting.get(caller);
    if (tenants !== undefined) {
      putLast(tenants, tenant);
      putLast(this.#waiting, caller);
    }
    this.#ofCallers.add(caller, 1);
    this.#ofTenants.add(tenant, 1);
    this.#total += 1;
    this.#bytes += item.size;
    return item;
  }

  /** An item that was taken is done, or given up. */
  release(item: Item): void {
    this.#ofCallers.add(item.caller, -1);
    this.#ofTenants.add(item.tenant, -1);
    this.#total -= 1;
    this.#bytes -= item.size;
  }

  #next(): Item | null {
    const { total, perCaller, perTag } = this.#limit;
    if (this.#total >= total) return null;
    for (const [caller, tenants] of this.#waiting) {
      if (this.#ofCallers.of(caller) >= perCaller) continue;
      for (const [tenant, items] of tenants) {
        if (this.#ofTenants.of(tenant) >= perTag) continue;
        const item = items.values().next().value as Item;
        if (this.#hasRoomFor(item)) return item;
      }
    }
    return null;
  }

  #hasRoomFor({ size }: Item): boolean {
    const { bytes } = this.#limit;
    return bytes === null || this.#total === 0 || this.#bytes + size <= bytes;
  }
}

/** Puts an entry behind all others. */
function putLast<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/** Numbers by name; what comes to 0 is forgotten. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, number: number): void {
    const count = this.of(name) + number;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
