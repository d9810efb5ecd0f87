import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, newId, systemClock } from '#platform/kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#platform/nats';
import { nextFencingToken } from '../../fencing-token.ts';
import type { HoldOptions, Leases, NatsLeaseOptions } from '../../port.ts';

const BUCKET = 'mneme-leases';

/** All times in milliseconds. */
export interface LeaseTiming {
  /** Another process takes over when it has seen the holder's record unchanged for this time. */
  readonly term: number;
  /** The holder stops this time before the end of the term if it could not renew. */
  readonly margin: number;
  readonly renewEvery: number;
  readonly pollEvery: number;
}
/** Milliseconds between the looks of a process that takes over, or has passed its lease on for a while. */
const SOON_POLL_MS = 50;
const TIMING: LeaseTiming = { term: 6_000, margin: 1_000, renewEvery: 1_500, pollEvery: 500 };
const REQUEST_TIMEOUT_MS = 1_000;

/** The record of a lease. */
interface LeaseRecord {
  /** Null after a release. */
  readonly holder: string | null;
  /** The fencing token. */
  readonly epoch: number;
  /** Has asked for the lease: the holder passes it on, and others leave it alone for one term. */
  readonly next?: string;
}

interface AcquiredLease {
  readonly fencingToken: number;
  readonly seq: number;
  /** When the write that acquired the lease was sent, on the clock of this process. */
  readonly sentAt: number;
}

/**
 * Leases as records that the holder renews by compare-and-set of the record's sequence.
 *
 * No clocks are compared. The holder counts from when it *sent* its last successful write, and stops one margin before the
 * end of the term. Another process counts from when it *read* that write, which is later, and takes over after the term by
 * compare-and-set of the record that it read. A write without an answer extends nothing. During an outage of NATS no
 * process can take over, and the holder stops.
 *
 * A process that is paused, or blocks its thread, for longer than the margin learns too late that it lost the lease; the
 * fencing token protects against its writes. If the stream is deleted while a lease is held, two processes may hold the
 * lease until the first one's next renewal.
 */
export class NatsLeases implements Leases {
  readonly #records: RecordStream;
  readonly #clock: Clock;
  readonly #timing: LeaseTiming;

  /** @see openNatsLeases */
  static async open({ bucket = BUCKET, ...options }: NatsLeaseOptions, timing?: LeaseTiming): Promise<NatsLeases> {
    const records = await openRecordStream({ ...options, name: bucket, history: 1, timeout: REQUEST_TIMEOUT_MS });
    return new NatsLeases(records, systemClock, timing ?? TIMING);
  }

  private constructor(records: RecordStream, clock: Clock, timing: LeaseTiming) {
    this.#records = records;
    this.#clock = clock;
    this.#timing = timing;
  }

  async hold(name: string, { signal, run, takeOver = false }: HoldOptions): Promise<void> {
    const subject = `${this.#records.name}.${Buffer.from(name).toString('base64url')}`;
    const me = newId();
    for (let isSoon = takeOver; ; ) {
      const acquired = await this.#acquire(subject, me, signal, { takeOver, isSoon });
      if (acquired === null) return;
      const holder = new Holder(this.#records, subject, me, acquired, this.#timing);
      const end = () => holder.stop();
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      try {
        await run({ fencingToken: acquired.fencingToken, signal: holder.signal });
        if (!holder.isGone) return;
      } catch (error) {
        if (!holder.isGone) throw error;
      } finally {
        signal.removeEventListener('abort', end);
        await holder.release();
        isSoon = takeOver || holder.isPassedOn;
      }
    }
  }

  /** Returns null if the signal aborted. */
  async #acquire(
    subject: string,
    me: string,
    signal: AbortSignal,
    { takeOver, isSoon }: { readonly takeOver: boolean; readonly isSoon: boolean },
  ): Promise<AcquiredLease | null> {
    const { pollEvery } = this.#timing;
    let seen = { seq: -1, at: 0 };
    while (!signal.aborted) {
      try {
        const record = await this.#records.last(subject);
        const now = performance.now();
        if (record !== null && record.seq !== seen.seq) seen = { seq: record.seq, at: now };
        const acquired = await this.#take(subject, me, record, now - seen.at);
        if (acquired !== null) return acquired;
        if (takeOver && record !== null) await this.#ask(subject, me, record);
      } catch {
        // NATS does not answer. The next attempt follows below.
      }
      const wait = isSoon ? Math.min(pollEvery, SOON_POLL_MS) : pollEvery;
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }

  /** Writes into the record that this process is to have the lease next. The holder finds it when it renews. */
  async #ask(subject: string, me: string, { data, seq }: NatsRecord): Promise<void> {
    const record = parse(data);
    if (record.next !== me) await this.#records.replace(subject, encode({ ...record, next: me }), seq);
  }

  /** Returns null if another process holds the lease or was faster. @param unchangedFor Milliseconds. */
  async #take(
    subject: string,
    me: string,
    record: NatsRecord | null,
    unchangedFor: number,
  ): Promise<AcquiredLease | null> {
    const { holder, epoch: last, next = me } = record === null ? { holder: null, epoch: 0 } : parse(record.data);
    // `holder === me`: an earlier write of this process succeeded without an answer.
    const isFree = (holder === null && next === me) || holder === me || unchangedFor >= this.#timing.term;
    if (!isFree) return null;
    const fencingToken = nextFencingToken(last, this.#clock);
    const sentAt = performance.now();
    const seq = await this.#records.replace(subject, encode({ holder: me, epoch: fencingToken }), record?.seq ?? 0);
    return seq === null ? null : { fencingToken, seq, sentAt };
  }
}

/** Renews an acquired lease until it is lost or released. */
class Holder {
  readonly #records: RecordStream;
  readonly #subject: string;
  readonly #me: string;
  readonly #fencingToken: number;
  readonly #timing: LeaseTiming;
  readonly #controller = new AbortController();
  readonly #renewing: Promise<void>;
  #seq: number;
  #deadline: NodeJS.Timeout;
  #isLost = false;
  /** The process to which the lease is passed on. */
  #next: string | null = null;

  constructor(
    records: RecordStream,
    subject: string,
    me: string,
    { fencingToken, seq, sentAt }: AcquiredLease,
    timing: LeaseTiming,
  ) {
    this.#records = records;
    this.#subject = subject;
    this.#me = me;
    this.#fencingToken = fencingToken;
    this.#timing = timing;
    this.#seq = seq;
    this.#deadline = this.#loseAfter(sentAt);
    this.#renewing = this.#renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isPassedOn(): boolean {
    return this.#next !== null;
  }

  /** The lease ended without `stop`. */
  get isGone(): boolean {
    return this.#isLost || this.isPassedOn;
  }

  stop(): void {
    this.#controller.abort();
  }

  /** Call it after `run` has ended. If the write fails, other processes wait for the end of the term. */
  async release(): Promise<void> {
    clearTimeout(this.#deadline);
    this.stop();
    await this.#renewing;
    if (this.#isLost) return;
    const free = encode({ holder: null, epoch: this.#fencingToken, ...(this.#next && { next: this.#next }) });
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
      wait = (await this.#renewOnce().catch(() => false)) ? this.#timing.renewEvery : this.#timing.pollEvery;
    }
  }

  async #renewOnce(): Promise<boolean> {
    const sentAt = performance.now();
    const seq = await this.#records.replace(
      this.#subject,
      encode({ holder: this.#me, epoch: this.#fencingToken }),
      this.#seq,
    );
    if (seq !== null) {
      this.#seq = seq;
      clearTimeout(this.#deadline);
      if (!this.signal.aborted) this.#deadline = this.#loseAfter(sentAt);
      return true;
    }
    const record = await this.#records.last(this.#subject);
    const { holder = null, next = null } = record === null ? {} : parse(record.data);
    if (record === null || holder !== this.#me) this.#lose();
    else {
      // An earlier renewal succeeded without an answer, or another process asks for the lease.
      this.#seq = record.seq;
      if (next !== null && !this.signal.aborted) {
        this.#next = next;
        this.stop();
      }
    }
    return false;
  }
}

const encode = (record: LeaseRecord): Uint8Array => new TextEncoder().encode(JSON.stringify(record));
const parse = (data: Uint8Array): LeaseRecord => JSON.parse(new TextDecoder().decode(data)) as LeaseRecord;
