import { type Clock, systemClock } from '#platform/kernel';
import type { KeyUses, UseStore } from './port.ts';

const MINUTE_MS = 60_000;

/** Notes uses in memory and stores them once a minute. */
export class NotedUses implements KeyUses {
  readonly #store: UseStore;
  readonly #clock: Clock;
  readonly #last = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  /** What is not stored yet. */
  #noted = new Map<string, number>();

  constructor(store: UseStore, clock: Clock = systemClock) {
    this.#store = store;
    this.#clock = clock;
    this.#timer = setInterval(() => void this.#storeNoted(), MINUTE_MS).unref();
  }

  note(key: string): void {
    const now = this.#clock.now();
    const minute = now - (now % MINUTE_MS);
    if (this.#last.get(key) === minute) return;
    this.#last.set(key, minute);
    this.#noted.set(key, minute);
  }

  async last(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const stored = await this.#store.read(keys).catch(() => new Map<string, number>());
    const found = new Map(stored);
    for (const key of keys) {
      const noted = this.#last.get(key);
      if (noted !== undefined && noted > (found.get(key) ?? 0)) found.set(key, noted);
    }
    return found;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#storeNoted();
  }

  async #storeNoted(): Promise<void> {
    const noted = this.#noted;
    if (noted.size === 0) return;
    this.#noted = new Map();
    try {
      await this.#store.write(noted);
    } catch {
      // With those of the next minute.
      this.#noted = new Map([...noted, ...this.#noted]);
    }
  }
}
