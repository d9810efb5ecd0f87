import { LRUCache } from 'lru-cache';
import type { Clock } from '#platform/kernel';
import type { HttpOptions } from '../options.ts';

/** Requests with a wrong key from one address in a window that are not reported: typing errors, and clients with an old key. */
const UNREPORTED = 20;
/** Begins with the first wrong key of an address. Milliseconds. */
const WINDOW_MS = 60_000;
/** Addresses that are remembered, those of the latest wrong keys. */
const MAX_ADDRESSES = 10_000;

interface Window {
  readonly startedAt: number;
  requests: number;
}

/** Counts requests with a wrong key by address, and reports the addresses that send many. Refuses nothing. */
export class WrongKeys {
  readonly #options: Pick<HttpOptions, 'logger' | 'metrics'>;
  readonly #clock: Clock;
  readonly #windows = new LRUCache<string, Window>({ max: MAX_ADDRESSES });

  constructor(options: Pick<HttpOptions, 'logger' | 'metrics'>, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Adds a request. Those beyond the limit are counted in the metrics, and the first of them is logged. */
  add(address: string): void {
    const window = this.#windowOf(address);
    window.requests += 1;
    if (window.requests <= UNREPORTED) return;
    this.#options.metrics?.wrongKeyRepeated();
    if (window.requests > UNREPORTED + 1) return;
    this.#options.logger?.warn(`More than ${UNREPORTED} requests with a wrong key within a minute from ${address}`);
  }

  #windowOf(address: string): Window {
    const now = this.#clock.now();
    const last = this.#windows.get(address);
    if (last !== undefined && now - last.startedAt < WINDOW_MS) return last;
    const window = { startedAt: now, requests: 0 };
    this.#windows.set(address, window);
    return window;
  }
}
