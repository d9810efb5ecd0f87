import pLimit from 'p-limit';
import { type Clock, hasCode } from '#platform/kernel';
import type { QuotaCounts } from '#ports/quota-counts';
import { endOf, periodAt } from './periods.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import { inAdvance, LOOK_AGAIN_MS, OUTAGE_RETRY_MS } from './share.ts';

export interface DailyAddsOptions {
  readonly records: QuotaCounts;
  /** Of the record. */
  readonly key: string;
  readonly clock: Clock;
  /** Called when the count cannot be read or written. */
  readonly onOutage: (error: unknown) => void;
}

/** Adds that were taken from the quota of a day. */
export interface TakenOfDay {
  readonly day: string;
  readonly count: number;
}

/**
 * The adds of an organization in a day, which processes count together in one record. Each takes some in advance by
 * compare-and-set and gives back those that it has not used for a second; so the record never shows fewer than were carried
 * out. While it cannot be reached, each process counts from where it was for itself, and adds its part later.
 */
export class DailyAdds {
  readonly #options: DailyAddsOptions;
  readonly #inTurn = pLimit(1);
  #day = '';
  /** Taken in advance, and so in the record. */
  #slice = 0;
  /** As the record was last seen. */
  #used = 0;
  /** Carried out during an outage, and not in the record. */
  #pending = 0;
  /** Until when more than `#room` are refused. */
  #fullUntil = 0;
  #room = 0;
  #outageUntil = 0;
  #isIdle = true;

  constructor(options: DailyAddsOptions) {
    this.#options = options;
  }

  /** @throws QuotaExceededError */
  async take(count: number, limit: number): Promise<TakenOfDay> {
    const day = this.#today();
    this.#isIdle = false;
    if (!this.#takeKnown(count, limit)) {
      await this.#inTurn(async () => {
        if (!this.#takeKnown(count, limit)) await this.#takeShared(count, limit);
      });
    }
    return { day, count };
  }

  /** Takes back adds that were not carried out. */
  giveBack({ day, count }: TakenOfDay): void {
    if (day !== this.#today()) return;
    this.#slice += count;
    if (count > 0) this.#fullUntil = 0;
  }

  /** The adds of the day as all processes have counted them. */
  async used(): Promise<number> {
    const used = (await this.#read()).used - this.#slice;
    return Math.max(0, used);
  }

  /** Gives back what this process has not used since the last call. @param isLast it uses no more */
  async settle({ isLast = false } = {}): Promise<void> {
    const wasIdle = this.#isIdle;
    this.#isIdle = true;
    if (!wasIdle && !isLast) return;
    await this.#inTurn(async () => {
      this.#today();
      const back = this.#slice - this.#pending;
      if (back === 0) return;
      this.#slice = 0;
      this.#pending = 0;
      try {
        await this.#change((used) => Math.max(0, used - back));
      } catch (error) {
        // Whether the record has changed is not known: rather too many than too few count as used.
        if (back < 0) this.#pending -= back;
        this.#options.onOutage(error);
      }
    });
  }

  /** @returns false: the record has to be asked */
  #takeKnown(count: number, limit: number): boolean {
    if (this.#slice < count) {
      if (performance.now() < this.#fullUntil && count > this.#room) throw this.#exceeded(limit);
      return false;
    }
    this.#slice -= count;
    return true;
  }

  async #takeShared(count: number, limit: number): Promise<void> {
    if (performance.now() < this.#outageUntil) return this.#takeAlone(count, limit);
    try {
      let extra = 0;
      await this.#change((used) => {
        const before = used + this.#pending - this.#slice;
        extra = inAdvance(limit - before - count, limit);
        if (before + count > limit) throw this.#full(limit - before, limit);
        return before + count + extra;
      });
      this.#pending = 0;
      this.#slice = extra;
      this.#outageUntil = 0;
    } catch (error) {
      if (hasCode(error, 'quota_exceeded')) throw error;
      if (this.#outageUntil === 0) this.#options.onOutage(error);
      this.#outageUntil = performance.now() + OUTAGE_RETRY_MS;
      this.#takeAlone(count, limit);
    }
  }

  #takeAlone(count: number, limit: number): void {
    const before = this.#used + this.#pending - this.#slice;
    if (before + count > limit) throw this.#full(limit - before, limit);
    const ofSlice = Math.min(this.#slice, count);
    this.#slice -= ofSlice;
    this.#pending += count - ofSlice;
  }

  /** Repeats the change until no other process has changed the record meanwhile. */
  async #change(change: (used: number) => number): Promise<void> {
    const { records, key } = this.#options;
    for (;;) {
      const { used: before, revision } = await this.#read();
      const used = change(before);
      if ((await records.write(key, { day: this.#day, used }, revision)) === null) continue;
      this.#used = used;
      return;
    }
  }

  async #read(): Promise<{ readonly used: number; readonly revision: number }> {
    const { records, key } = this.#options;
    const day = this.#today();
    const record = await records.read(key);
    const used = record?.value.day === day ? Number(record.value.used) : 0;
    return { used, revision: record?.revision ?? 0 };
  }

  #today(): string {
    const day = periodAt('day', this.#options.clock.now());
    if (day === this.#day) return day;
    this.#day = day;
    this.#slice = 0;
    this.#used = 0;
    this.#pending = 0;
    this.#fullUntil = 0;
    return day;
  }

  #full(room: number, limit: number): Error {
    this.#room = room;
    this.#fullUntil = performance.now() + LOOK_AGAIN_MS;
    return this.#exceeded(limit);
  }

  #exceeded(limit: number): Error {
    const now = this.#options.clock.now();
    return quotaExceeded('addsPerDay', limit, endOf('day', now), now);
  }
}
