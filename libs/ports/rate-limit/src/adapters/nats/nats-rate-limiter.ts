import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { contentHash, newId } from '#platform/kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#platform/nats';
import type { NatsRateLimitOptions, RateDecision, RateLimit, RateLimiter } from '../../port.ts';

const BUCKET = 'mneme-rate-limits';
const REQUEST_TIMEOUT_MS = 500;
/** A process takes this fraction of the remaining requests at a time. */
const SHARE = 10;
/** A process that found no remaining requests reads the record again after this time: the window may have ended early. */
const REREAD_MS = 1_000;
/** How long this process counts for itself before it asks NATS again. */
const OUTAGE_RETRY_MS = 1_000;
const KEYS_IN_MEMORY = 10_000;
/** When the server removes the record of a key: no window is longer. */
const LONGEST_WINDOW_MS = 3_600_000;

/** The record of a key. */
interface WindowRecord {
  readonly window: string;
  readonly taken: number;
  /** Minimal age of the window when the record was written. Milliseconds. */
  readonly age: number;
}

/** The state of a key in this process. Times are in milliseconds of its own clock. */
interface KeyState {
  window: string;
  /** Latest possible beginning of the window. */
  begunAt: number;
  /** Taken by this process and not used. */
  slice: number;
  /** Not taken by any process when the record was last read. */
  left: number;
  rereadAt: number;
  record: Pick<NatsRecord, 'seq' | 'data'> | null;
  taking: Promise<void> | null;
}

/**
 * A limit that processes share. The window of a key is a record; each process takes a tenth of the remaining requests by
 * compare-and-set, and allows them without further messages. The last requests are taken one by one. So no window allows
 * more than the limit; requests that one process has taken and does not use are missing in the others.
 *
 * No clocks are compared: a record holds the minimal age of the window, and each process counts from when it read the
 * record. So a window never ends early. It may end late if no process has read the record for a while, at the latest its
 * own length after it is read again, or when the server removes the record.
 *
 * While NATS does not answer, each process applies the limit for itself.
 */
export class NatsRateLimiter implements RateLimiter {
  readonly #records: RecordStream;
  readonly #onOutage: (error: unknown) => void;
  readonly #fallback: RateLimiter;
  readonly #states = new LRUCache<string, KeyState>({ max: KEYS_IN_MEMORY });
  #outageUntil = 0;

  /** @see openNatsRateLimiter. @param fallback counts during an outage of NATS */
  static async open(
    { onOutage, bucket = BUCKET, ...options }: NatsRateLimitOptions,
    fallback: RateLimiter,
  ): Promise<NatsRateLimiter> {
    const once = { name: bucket, history: 1, maxAgeMs: LONGEST_WINDOW_MS, timeout: REQUEST_TIMEOUT_MS };
    return new NatsRateLimiter(await openRecordStream({ ...options, ...once }), fallback, onOutage);
  }

  constructor(records: RecordStream, fallback: RateLimiter, onOutage: (error: unknown) => void) {
    this.#records = records;
    this.#onOutage = onOutage;
    this.#fallback = fallback;
  }

  async consume(key: string, limit: RateLimit): Promise<RateDecision> {
    const state = this.#stateOf(key);
    for (;;) {
      const now = performance.now();
      const decision = this.#decide(state, limit, now);
      if (decision !== null) return decision;
      if (now < this.#outageUntil) return this.#fallback.consume(key, limit);
      try {
        state.taking ??= this.#take(key, state, limit).finally(() => {
          state.taking = null;
        });
        await state.taking;
        this.#outageUntil = 0;
      } catch (error) {
        if (this.#outageUntil === 0) this.#onOutage(error);
        this.#outageUntil = performance.now() + OUTAGE_RETRY_MS;
      }
    }
  }

  #stateOf(key: string): KeyState {
    const existing = this.#states.get(key);
    if (existing !== undefined) return existing;
    const state: KeyState = {
      window: '',
      begunAt: Number.NEGATIVE_INFINITY,
      slice: 0,
      left: 0,
      rereadAt: 0,
      record: null,
      taking: null,
    };
    this.#states.set(key, state);
    return state;
  }

  /** Returns null if the record has to be read. */
  #decide(state: KeyState, { seconds }: RateLimit, now: number): RateDecision | null {
    const resetMs = state.begunAt + seconds * 1_000 - now;
    if (resetMs <= 0) return null;
    if (state.slice > 0) {
      state.slice--;
      return { isAllowed: true, remaining: state.slice + state.left, resetMs };
    }
    return state.left === 0 && now < state.rereadAt ? { isAllowed: false, remaining: 0, resetMs } : null;
  }

  /** Takes a slice, or records that none is left. */
  async #take(key: string, state: KeyState, { requests, seconds }: RateLimit): Promise<void> {
    const subject = `${this.#records.name}.${contentHash(key)}`;
    let record = state.record;
    for (let isFresh = false; ; isFresh = true) {
      if (isFresh || record === null) record = await this.#records.last(subject);
      const current = record === null ? null : parse(record.data);
      const now = performance.now();
      const begunAt = current === null ? now : this.#begunAt(state, current, now);
      const isOpen = current !== null && now - begunAt < seconds * 1_000;
      const taken = isOpen ? current.taken : 0;
      const left = requests - taken;
      // The remembered record may be outdated, so it is read again before requests are rejected.
      if (left <= 0 && !isFresh && record === state.record) continue;
      if (left <= 0) {
        const rereadAt = now + REREAD_MS;
        Object.assign(state, { window: current?.window, begunAt, slice: 0, left: 0, rereadAt, record: null });
        return;
      }
      const slice = Math.max(1, Math.floor(left / SHARE));
      const window = isOpen ? current.window : newId();
      const data = encode({ window, taken: taken + slice, age: isOpen ? now - begunAt : 0 });
      const seq = await this.#records.replace(subject, data, record?.seq ?? 0);
      if (seq === null) continue;
      const since = isOpen ? begunAt : performance.now();
      Object.assign(state, { window, begunAt: since, slice, left: left - slice, record: { seq, data } });
      return;
    }
  }

  #begunAt(state: KeyState, { window, age }: WindowRecord, now: number): number {
    const asRead = now - age;
    return window === state.window ? Math.min(state.begunAt, asRead) : asRead;
  }
}

const encode = (record: WindowRecord): Uint8Array => new TextEncoder().encode(JSON.stringify(record));
const parse = (data: Uint8Array): WindowRecord => JSON.parse(new TextDecoder().decode(data)) as WindowRecord;
