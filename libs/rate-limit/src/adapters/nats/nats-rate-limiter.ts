import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { contentHash, newId } from '#kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#nats';
import type { NatsRateLimitOptions, RateDecision, RateLimit, RateLimiter } from '../../port.ts';

const BUCKET = 'mneme-rate-limits';
const REQUEST_MS = 500;
/** Of what is left in a window a process takes this part at a time. */
const SHARE = 10;
/** How soon a process that found nothing left looks again: others may know better when the window ends. */
const LOOK_AGAIN_MS = 1_000;
/** How long each process counts for itself before NATS is asked again. */
const AWAY_MS = 1_000;
const KEYS_IN_MEMORY = 10_000;

/** What stands under the subject of a key. */
interface WindowRecord {
  readonly window: string;
  readonly taken: number;
  /** Milliseconds for which the window had been open at least, when this was written. */
  readonly age: number;
}

/** What this process knows of a key. Times are of its own clock, in milliseconds. */
interface KeyState {
  window: string;
  /** When the window began at the latest. */
  begunAt: number;
  /** Taken and not used yet. */
  slice: number;
  /** Not taken by anybody, as far as is known. */
  left: number;
  lookAgainAt: number;
  record: Pick<NatsRecord, 'seq' | 'data'> | null;
  taking: Promise<void> | null;
}

/**
 * A limit that processes keep together. The window of a key is a record; each process takes a tenth of what is left by
 * compare and set, and hands it out without asking anybody. When few are left, they are taken one by one. So no window
 * ever gives more than the limit; what one process has taken and does not use may be missing elsewhere.
 *
 * No clocks are compared: a record tells how long the window has been open at least, and each process counts on from when
 * it read that. So a window never ends early; it may end late where nobody has asked for a while, but not later than its
 * length after the last slice was taken: then the server removes the record.
 *
 * While NATS does not answer, each process keeps the limit for itself: requests are let through rather than refused.
 */
export class NatsRateLimiter implements RateLimiter {
  readonly limit: RateLimit;
  readonly #records: RecordStream;
  readonly #onOutage: (error: unknown) => void;
  readonly #alone: RateLimiter;
  readonly #lengthMs: number;
  readonly #states = new LRUCache<string, KeyState>({ max: KEYS_IN_MEMORY });
  #awayUntil = 0;

  /** @see openNatsRateLimiter. @param alone counts while NATS is away */
  static async open(
    { limit, onOutage, bucket = BUCKET, ...options }: NatsRateLimitOptions,
    alone: RateLimiter,
  ): Promise<NatsRateLimiter> {
    const once = { name: bucket, history: 1, maxAgeMs: limit.seconds * 1_000, timeout: REQUEST_MS };
    return new NatsRateLimiter(await openRecordStream({ ...options, ...once }), alone, onOutage);
  }

  constructor(records: RecordStream, alone: RateLimiter, onOutage: (error: unknown) => void) {
    this.#records = records;
    this.limit = alone.limit;
    this.#onOutage = onOutage;
    this.#alone = alone;
    this.#lengthMs = alone.limit.seconds * 1_000;
  }

  async consume(key: string): Promise<RateDecision> {
    const state = this.#stateOf(key);
    for (;;) {
      const now = performance.now();
      const decision = this.#decide(state, now);
      if (decision !== null) return decision;
      if (now < this.#awayUntil) return this.#alone.consume(key);
      try {
        state.taking ??= this.#take(key, state).finally(() => {
          state.taking = null;
        });
        await state.taking;
        this.#awayUntil = 0;
      } catch (error) {
        if (this.#awayUntil === 0) this.#onOutage(error);
        this.#awayUntil = performance.now() + AWAY_MS;
      }
    }
  }

  #stateOf(key: string): KeyState {
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: KeyState = {
      window: '',
      begunAt: Number.NEGATIVE_INFINITY,
      slice: 0,
      left: 0,
      lookAgainAt: 0,
      record: null,
      taking: null,
    };
    this.#states.set(key, state);
    return state;
  }

  /** Null: nothing that is known here decides it. */
  #decide(state: KeyState, now: number): RateDecision | null {
    const resetMs = state.begunAt + this.#lengthMs - now;
    if (resetMs <= 0) return null;
    if (state.slice > 0) {
      state.slice--;
      return { isAllowed: true, remaining: state.slice + state.left, resetMs };
    }
    return state.left === 0 && now < state.lookAgainAt ? { isAllowed: false, remaining: 0, resetMs } : null;
  }

  /** Takes a slice, or learns that nothing is left. */
  async #take(key: string, state: KeyState): Promise<void> {
    const subject = `${this.#records.name}.${contentHash(key)}`;
    let record = state.record;
    for (let isFresh = false; ; isFresh = true) {
      if (isFresh || record === null) record = await this.#records.last(subject);
      const found = record === null ? null : parse(record.data);
      const now = performance.now();
      const begunAt = found === null ? now : this.#begunAt(state, found, now);
      const isOpen = found !== null && now - begunAt < this.#lengthMs;
      const taken = isOpen ? found.taken : 0;
      const left = this.limit.requests - taken;
      // What is remembered may be outdated: only a record that was just read says that nothing is left.
      if (left <= 0 && !isFresh && record === state.record) continue;
      if (left <= 0) {
        const lookAgainAt = now + LOOK_AGAIN_MS;
        Object.assign(state, { window: found?.window, begunAt, slice: 0, left: 0, lookAgainAt, record: null });
        return;
      }
      const slice = Math.max(1, Math.floor(left / SHARE));
      const window = isOpen ? found.window : newId();
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
