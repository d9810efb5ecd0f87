import { hash } from 'node:crypto';

const FIRST_PLACES = 1_024;

/** Remembers which items were seen: 64 bits of a hash of each id, in at most 32 bytes, whatever the length of the id. */
export class SeenItems {
  /** Two numbers for each place; both 0: it is free. */
  #places = new Uint32Array(2 * FIRST_PLACES);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns whether it was not seen before */
  add(id: string): boolean {
    if (4 * this.#size >= this.#places.length) this.#grow();
    const [high, low] = halves(id);
    const place = this.#placeOf(high, low);
    if (this.#places[place] !== 0 || this.#places[place + 1] !== 0) return false;
    this.#places[place] = high;
    this.#places[place + 1] = low;
    this.#size += 1;
    return true;
  }

  has(id: string): boolean {
    const place = this.#placeOf(...halves(id));
    return this.#places[place] !== 0 || this.#places[place + 1] !== 0;
  }

  /** Returns where a hash is, or the free place where it belongs. */
  #placeOf(high: number, low: number): number {
    const places = this.#places;
    const mask = places.length / 2 - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const place = 2 * at;
      if (places[place] === 0 && places[place + 1] === 0) return place;
      if (places[place] === high && places[place + 1] === low) return place;
    }
  }

  #grow(): void {
    const before = this.#places;
    this.#places = new Uint32Array(2 * before.length);
    for (let place = 0; place < before.length; place += 2) {
      const [high, low] = [before[place] as number, before[place + 1] as number];
      if (high === 0 && low === 0) continue;
      const at = this.#placeOf(high, low);
      this.#places[at] = high;
      this.#places[at + 1] = low;
    }
  }
}

function halves(id: string): readonly [number, number] {
  const bytes = hash('sha256', id, 'buffer');
  const [high, low] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  return high === 0 && low === 0 ? [1, 0] : [high, low];
}
