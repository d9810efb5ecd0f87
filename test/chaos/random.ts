import { seeded } from '../support/load.ts';

/** Neighbouring seeds begin with similar numbers, so these are skipped. */
const SKIPPED = 8;

/** Reproducible pseudo-random choices. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
    for (let i = 0; i < SKIPPED; i += 1) this.#next();
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** Returns a whole number between both, inclusive. */
  int(from: number, to: number): number {
    return from + Math.floor(this.#next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  /** Picks each item with a probability in proportion to its weight. */
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T {
    let left = this.#next() * items.reduce((sum, { weight }) => sum + weight, 0);
    for (const item of items) {
      left -= item.weight;
      if (left < 0) return item;
    }
    return items.at(-1) as T;
  }
}
