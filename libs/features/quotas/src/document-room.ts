import pLimit from 'p-limit';
import { type Clock, hasCode } from '#platform/kernel';
import type { QuotaCount, QuotaCounts } from '#ports/quota-counts';
import { quotaExceeded } from './quota-exceeded.ts';
import { inAdvance, LOOK_AGAIN_MS, OUTAGE_RETRY_MS } from './share.ts';

export interface DocumentRoomOptions {
  readonly records: QuotaCounts;
  /** Of the record. */
  readonly key: string;
  /** Names this process in the record. */
  readonly holder: string;
  readonly clock: Clock;
  /** Counts the documents of the organization, those that were recorded before the call included. */
  readonly count: () => Promise<number>;
  /** Called when the record or the count cannot be read. */
  readonly onOutage: (error: unknown) => void;
}

/** What a process may still add, or is adding. `at`: when it wrote it, milliseconds since the Unix epoch. */
interface Holding {
  readonly held: number;
  readonly at: number;
}

type Holdings = Readonly<Record<string, Holding>>;

/** How long a process uses what it holds, and how long the others respect it. Milliseconds. */
const USED_MS = 20_000;
const RESPECTED_MS = 60_000;

/**
 * The room of an organization for documents: what its quota leaves of those that are there. One record has what each process
 * holds, which it may add without asking or is adding at the moment; a process gets more if what is there and what all hold
 * leaves it. What is recorded is there, so nothing has to be remembered for longer than a request takes.
 */
export class DocumentRoom {
  readonly #options: DocumentRoomOptions;
  readonly #inTurn = pLimit(1);
  #slice = 0;
  #inFlight = 0;
  /** Documents that this process has added. */
  #added = 0;
  /** What the record says that this process holds, and when it was written. */
  #held = 0;
  #heldAt = 0;
  /** What was there at the last count, and how many this process had added then. */
  #counted = { used: 0, added: 0 };
  /** Until when more than `#room` are refused. */
  #fullUntil = 0;
  #room = 0;
  #outageUntil = 0;
  #isIdle = true;
  #limit = 0;

  constructor(options: DocumentRoomOptions) {
    this.#options = options;
  }

  /** @throws QuotaExceededError */
  async take(count: number, limit: number): Promise<void> {
    if (limit !== this.#limit) {
      this.#limit = limit;
      this.#slice = 0;
      this.#fullUntil = 0;
    }
    this.#isIdle = false;
    if (this.#takeKnown(count, limit)) return;
    await this.#inTurn(async () => {
      if (!this.#takeKnown(count, limit)) await this.#takeCounted(count, limit);
    });
  }

  /** Ends what `take` has begun. @param added documents that are recorded now, at most `taken` */
  end(taken: number, added: number): void {
    this.#inFlight -= taken;
    this.#added += added;
    if (taken === added) return;
    this.#slice += taken - added;
    this.#fullUntil = 0;
  }

  /** Gives back what this process has not used since the last call. @param isLast it uses no more */
  async settle({ isLast = false } = {}): Promise<void> {
    const wasIdle = this.#isIdle;
    this.#isIdle = true;
    if (!this.#options.records.isShared || (!wasIdle && !isLast)) return;
    await this.#inTurn(async () => {
      this.#slice = 0;
      if (this.#held === this.#inFlight) return;
      const record = await this.#options.records.read(this.#options.key);
      await this.#hold(this.#inFlight, record);
    }).catch(this.#options.onOutage);
  }

  /** @returns false: it has to be counted what there is */
  #takeKnown(count: number, limit: number): boolean {
    const isHeld = !this.#options.records.isShared || performance.now() - this.#heldAt < USED_MS;
    if (!isHeld || this.#slice < count) {
      if (performance.now() < this.#fullUntil && count > this.#room) throw this.#exceeded(limit);
      return false;
    }
    this.#slice -= count;
    this.#inFlight += count;
    return true;
  }

  async #takeCounted(count: number, limit: number): Promise<void> {
    for (;;) {
      const record = await this.#record();
      const added = this.#added;
      const used = await this.#count();
      // What has ended since may be counted already.
      const busy = this.#inFlight + this.#added - added;
      const room = limit - used - busy - this.#heldByOthers(record);
      if (count > room && added !== this.#added) continue;
      if (count > room) throw this.#full(room, limit);
      const { isShared } = this.#options.records;
      const extra = isShared ? inAdvance(room - count, limit) : room - count;
      if (isShared && record !== 'unknown' && !(await this.#hold(busy + count + extra, record))) continue;
      this.#slice = extra;
      this.#inFlight += count;
      return;
    }
  }

  /** `unknown`: it cannot be read at present. */
  async #record(): Promise<QuotaCount | null | 'unknown'> {
    const { records, key, onOutage } = this.#options;
    if (!records.isShared) return null;
    if (performance.now() < this.#outageUntil) return 'unknown';
    try {
      const record = await records.read(key);
      this.#outageUntil = 0;
      return record;
    } catch (error) {
      if (this.#outageUntil === 0) onOutage(error);
      this.#outageUntil = performance.now() + OUTAGE_RETRY_MS;
      return 'unknown';
    }
  }

  /** While nothing can be counted, what this process has added since comes to the last count. */
  async #count(): Promise<number> {
    const added = this.#added;
    try {
      this.#counted = { used: await this.#options.count(), added };
      return this.#counted.used;
    } catch (error) {
      if (hasCode(error, 'quota_exceeded')) throw error;
      this.#options.onOutage(error);
      return this.#counted.used + added - this.#counted.added;
    }
  }

  #heldByOthers(record: QuotaCount | null | 'unknown'): number {
    if (record === 'unknown' || record === null) return 0;
    return Object.values(this.#others(record)).reduce((sum, { held }) => sum + held, 0);
  }

  #others({ value }: QuotaCount): Holdings {
    const { holder, clock } = this.#options;
    const isPresent = ([name, { at }]: [string, Holding]) => name !== holder && clock.now() - at < RESPECTED_MS;
    return Object.fromEntries(Object.entries(value as Holdings).filter(isPresent));
  }

  /** @returns false: another process has written meanwhile */
  async #hold(held: number, record: QuotaCount | null): Promise<boolean> {
    const { records, key, holder, clock } = this.#options;
    const heldAt = performance.now();
    const own = held === 0 ? {} : { [holder]: { held, at: clock.now() } };
    const others = record === null ? {} : this.#others(record);
    if ((await records.write(key, { ...others, ...own }, record?.revision ?? 0)) === null) return false;
    this.#held = held;
    this.#heldAt = heldAt;
    return true;
  }

  #full(room: number, limit: number): Error {
    this.#room = room;
    this.#fullUntil = performance.now() + LOOK_AGAIN_MS;
    return this.#exceeded(limit);
  }

  #exceeded(limit: number): Error {
    return quotaExceeded('documents', limit, null, this.#options.clock.now());
  }
}
