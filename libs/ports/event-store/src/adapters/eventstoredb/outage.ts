/** How long calls wait in an outage. Milliseconds. */
export const DEFAULT_PATIENCE_MS = 12_000;
/** Interruptions with less than this between them are one outage. Milliseconds. */
const ONE_OUTAGE_MS = 3_000;
/** Places in the shared memory: times in milliseconds. 0: none. */
const BEGUN = 0;
const ENDED = 1;

/**
 * Since when the server does not answer: one clock for all clients of a process, in all its threads. An interruption soon after
 * an outage belongs to it. Otherwise, a request of several calls would wait the whole patience for each. After an outage that
 * lasted as long as calls wait, all requests are answered, and the next interruption is a new one.
 */
export class Outage {
  #times: BigInt64Array;
  #reason: string | null = null;

  constructor() {
    this.#times = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT));
  }

  /** For `join` in another thread. */
  get shared(): SharedArrayBuffer {
    return this.#times.buffer as SharedArrayBuffer;
  }

  join(shared: SharedArrayBuffer): void {
    this.#times = new BigInt64Array(shared);
  }

  /** For how long the server has not answered. Null: it answers. Milliseconds. */
  get lasts(): number | null {
    const begun = this.#at(BEGUN);
    return begun === 0n || this.#at(ENDED) !== 0n ? null : Number(now() - begun);
  }

  get report(): { readonly lasts: number; readonly reason: string } | null {
    const { lasts } = this;
    return lasts === null ? null : { lasts, reason: this.#reason ?? 'it does not answer' };
  }

  /** @param silence milliseconds without an answer before that. Default: 0 */
  failed(reason: string, silence = 0): void {
    this.#reason ??= reason;
    const [begun, ended] = [this.#at(BEGUN), this.#at(ENDED)];
    if (ended === 0n && begun !== 0n) return;
    if (now() - ended >= ONE_OUTAGE_MS || ended - begun >= DEFAULT_PATIENCE_MS)
      Atomics.store(this.#times, BEGUN, now() - BigInt(silence));
    Atomics.store(this.#times, ENDED, 0n);
  }

  answered(): void {
    this.#reason = null;
    if (this.lasts !== null) Atomics.store(this.#times, ENDED, now());
  }

  #at(place: number): bigint {
    return Atomics.load(this.#times, place);
  }
}

/** Not `performance.now()`, which counts from the start of each thread. */
const now = (): bigint => process.hrtime.bigint() / 1_000_000n;
