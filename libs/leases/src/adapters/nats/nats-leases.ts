import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, newId, systemClock } from '#kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#nats';
import { epochAfter } from '../../epochs.ts';
import type { Holding, Leases, NatsLeaseOptions } from '../../port.ts';

const BUCKET = 'mneme-leases';

/** In milliseconds. */
export interface LeaseTiming {
  /** A holder's record that has not changed for so long, as seen by another, is taken over. */
  readonly term: number;
  /** So long before that the holder stops, when he could not renew. */
  readonly margin: number;
  readonly renewEvery: number;
  readonly lookEvery: number;
}
const TIMING: LeaseTiming = { term: 6_000, margin: 1_000, renewEvery: 1_500, lookEvery: 500 };
const REQUEST_MS = 1_000;

/** What stands under the subject of a lease. `holder`: null when it was given back. */
interface LeaseRecord {
  readonly holder: string | null;
  readonly epoch: number;
}

interface Held {
  readonly epoch: number;
  readonly seq: number;
  /** When the write that took it was sent, on this process's own clock. */
  readonly sentAt: number;
}

/**
 * Leases as records that the holder writes again and again, each time by compare and set of the record's sequence.
 *
 * No clocks are compared. The holder counts from when he *sent* the last write that succeeded, and stops one margin before
 * the term is over. Another one counts from when he *saw* that write, which is later, and takes over when the term is over,
 * by compare and set of what he saw. A write without an answer extends nothing. While NATS is away nobody can take over,
 * and the holder stops; when it is back, somebody holds the lease again.
 *
 * A process that is paused, or blocks its thread, for longer than the margin learns too late that it lost the lease: that
 * is what epochs are for. Who deletes the stream while a lease is held lets two hold it until the first one's next renewal.
 */
export class NatsLeases implements Leases {
  readonly #records: RecordStream;
  readonly #clock: Clock;
  readonly #timing: LeaseTiming;

  /** @see openNatsLeases */
  static async open({ bucket = BUCKET, ...options }: NatsLeaseOptions, timing?: LeaseTiming): Promise<NatsLeases> {
    const records = await openRecordStream({ ...options, name: bucket, history: 1, timeout: REQUEST_MS });
    return new NatsLeases(records, systemClock, timing ?? TIMING);
  }

  private constructor(records: RecordStream, clock: Clock, timing: LeaseTiming) {
    this.#records = records;
    this.#clock = clock;
    this.#timing = timing;
  }

  async hold(name: string, { signal, run }: Holding): Promise<void> {
    const subject = `${this.#records.name}.${Buffer.from(name).toString('base64url')}`;
    const me = newId();
    for (;;) {
      const held = await this.#acquire(subject, me, signal);
      if (held === null) return;
      const holder = new Holder(this.#records, subject, me, held, this.#timing);
      const end = () => holder.stop();
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      try {
        await run({ epoch: held.epoch, signal: holder.signal });
        if (!holder.isLost) return;
      } catch (error) {
        if (!holder.isLost) throw error;
      } finally {
        signal.removeEventListener('abort', end);
        await holder.giveBack();
      }
    }
  }

  /** @returns null when the signal aborted */
  async #acquire(subject: string, me: string, signal: AbortSignal): Promise<Held | null> {
    let seen = { seq: -1, at: 0 };
    while (!signal.aborted) {
      try {
        const record = await this.#records.last(subject);
        const now = performance.now();
        if (record !== null && record.seq !== seen.seq) seen = { seq: record.seq, at: now };
        const held = await this.#take(subject, me, record, now - seen.at);
        if (held !== null) return held;
      } catch {
        // NATS does not answer: asked again.
      }
      await pause(this.#timing.lookEvery, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }

  /** @param unchangedFor milliseconds. @returns null when somebody else holds it, or was faster */
  async #take(subject: string, me: string, record: NatsRecord | null, unchangedFor: number): Promise<Held | null> {
    const { holder, epoch: last } = record === null ? { holder: null, epoch: 0 } : parse(record.data);
    // A write of ours that got no answer may have succeeded.
    const isFree = holder === null || holder === me || unchangedFor >= this.#timing.term;
    if (!isFree) return null;
    const epoch = epochAfter(last, this.#clock);
    const sentAt = performance.now();
    const seq = await this.#records.replace(subject, encode({ holder: me, epoch }), record?.seq ?? 0);
    return seq === null ? null : { epoch, seq, sentAt };
  }
}

/** Renews a lease that is held, until it is lost or given back. */
class Holder {
  readonly #records: RecordStream;
  readonly #subject: string;
  readonly #me: string;
  readonly #epoch: number;
  readonly #timing: LeaseTiming;
  readonly #controller = new AbortController();
  readonly #renewing: Promise<void>;
  #seq: number;
  #deadline: NodeJS.Timeout;
  #isLost = false;

  constructor(records: RecordStream, subject: string, me: string, { epoch, seq, sentAt }: Held, timing: LeaseTiming) {
    this.#records = records;
    this.#subject = subject;
    this.#me = me;
    this.#epoch = epoch;
    this.#timing = timing;
    this.#seq = seq;
    this.#deadline = this.#loseAfter(sentAt);
    this.#renewing = this.#renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** It ended otherwise than by `stop`. */
  get isLost(): boolean {
    return this.#isLost;
  }

  stop(): void {
    this.#controller.abort();
  }

  /** After `run` has ended. Where it cannot be written, others wait for the term. */
  async giveBack(): Promise<void> {
    clearTimeout(this.#deadline);
    this.stop();
    await this.#renewing;
    if (this.#isLost) return;
    const free = encode({ holder: null, epoch: this.#epoch });
    await this.#records.replace(this.#subject, free, this.#seq).catch(() => undefined);
  }

  #lose(): void {
    if (this.signal.aborted) return;
    this.#isLost = true;
    this.#controller.abort();
  }

  #loseAfter(sentAt: number): NodeJS.Timeout {
    const left = sentAt + this.#timing.term - this.#timing.margin - performance.now();
    return setTimeout(() => this.#lose(), Math.max(0, left));
  }

  async #renew(): Promise<void> {
    const { signal } = this;
    let wait = this.#timing.renewEvery;
    while (!signal.aborted) {
      await pause(wait, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      wait = (await this.#renewOnce().catch(() => false)) ? this.#timing.renewEvery : this.#timing.lookEvery;
    }
  }

  async #renewOnce(): Promise<boolean> {
    const sentAt = performance.now();
    const seq = await this.#records.replace(this.#subject, encode({ holder: this.#me, epoch: this.#epoch }), this.#seq);
    if (seq !== null) {
      this.#seq = seq;
      clearTimeout(this.#deadline);
      if (!this.signal.aborted) this.#deadline = this.#loseAfter(sentAt);
      return true;
    }
    const record = await this.#records.last(this.#subject);
    if (record !== null && parse(record.data).holder === this.#me) {
      // A renewal that got no answer had succeeded.
      this.#seq = record.seq;
    } else this.#lose();
    return false;
  }
}

const encode = (record: LeaseRecord): Uint8Array => new TextEncoder().encode(JSON.stringify(record));
const parse = (data: Uint8Array): LeaseRecord => JSON.parse(new TextDecoder().decode(data)) as LeaseRecord;
