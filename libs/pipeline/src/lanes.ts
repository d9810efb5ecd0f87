/** What waits for its turn: one piece of work on one document. */
export interface Waiting {
  /** Whose turn it counts as: organization and first tag. */
  readonly lane: string;
}

export interface LaneLimits {
  /** Taken and not released yet, over all lanes. */
  readonly total: number;
  /** The same for one lane. */
  readonly perLane: number;
}

/**
 * Round-robin over lanes with a bounded number in flight per lane: whoever queues five thousand documents under one tag
 * does not keep the single document under another tag waiting.
 */
export class Lanes<Item extends Waiting> {
  #limits: LaneLimits;
  /** Waiting items by lane; the order of the map is the order of turns. */
  readonly #waiting = new Map<string, Set<Item>>();
  readonly #inFlight = new Map<string, number>();
  #total = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  get waiting(): number {
    let count = 0;
    for (const lane of this.#waiting.values()) count += lane.size;
    return count;
  }

  get inFlight(): number {
    return this.#total;
  }

  /** From now on. What is in flight beyond them stays so until it is released. */
  limit(limits: LaneLimits): void {
    this.#limits = limits;
  }

  add(item: Item): void {
    const lane = this.#waiting.get(item.lane);
    if (lane) lane.add(item);
    else this.#waiting.set(item.lane, new Set([item]));
  }

  remove(item: Item): void {
    const lane = this.#waiting.get(item.lane);
    if (lane?.delete(item) && lane.size === 0) this.#waiting.delete(item.lane);
  }

  /** Whether `take` would answer with an item. */
  ready(): boolean {
    return this.#next() !== null;
  }

  /** The next item by turn. Null: none waits, or no lane that has one may have another in flight. */
  take(): Item | null {
    const name = this.#next();
    if (name === null) return null;
    const lane = this.#waiting.get(name) as Set<Item>;
    const item = lane.values().next().value as Item;
    lane.delete(item);
    // Behind all others, for the next turn.
    this.#waiting.delete(name);
    if (lane.size > 0) this.#waiting.set(name, lane);
    this.#inFlight.set(name, (this.#inFlight.get(name) ?? 0) + 1);
    this.#total += 1;
    return item;
  }

  /** An item that was taken is through, or given up. */
  release(item: Item): void {
    const left = (this.#inFlight.get(item.lane) ?? 0) - 1;
    if (left > 0) this.#inFlight.set(item.lane, left);
    else this.#inFlight.delete(item.lane);
    this.#total -= 1;
  }

  #next(): string | null {
    if (this.#total >= this.#limits.total) return null;
    for (const name of this.#waiting.keys()) {
      if ((this.#inFlight.get(name) ?? 0) < this.#limits.perLane) return name;
    }
    return null;
  }
}
