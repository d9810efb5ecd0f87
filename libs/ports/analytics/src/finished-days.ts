import { DAY_MS, HOUR_MS, type Period } from './period.ts';
import type { AnalyticsStore, PeriodQuery } from './port.ts';

/** Another process that could not store its figures adds to a day that is over, so days are read again after this. */
const KEPT_MS = 10 * 60_000;
/** Of all organizations. A day with much of everything takes some 35 KB. */
const MOST_DAYS = 200;

interface KeptDay {
  readonly organization: string;
  readonly readAt: number;
  readonly periods: readonly Period[];
}

/** Days that have been over for an hour, read from the store once in ten minutes: three months of them take long to parse. */
export class FinishedDays {
  readonly #store: Pick<AnalyticsStore, 'periods'>;
  /** By organization and beginning, the one read first at the front. */
  readonly #kept = new Map<string, KeptDay>();

  constructor(store: Pick<AnalyticsStore, 'periods'>) {
    this.#store = store;
  }

  /** Returns what the store returns, for days from memory where they are kept. */
  async periods(organization: string, queries: readonly PeriodQuery[], now: number): Promise<readonly Period[]> {
    this.drop(now);
    const kept: Period[] = [];
    const missing = queries.flatMap((query) => (query.grain === 'day' ? this.#take(organization, query, kept) : query));
    if (missing.length === 0) return kept;
    const read = await this.#store.periods(organization, missing);
    for (const query of missing) if (query.grain === 'day') this.#keep(organization, query, read, now);
    return [...kept, ...read];
  }

  /** Gives back the memory of days that were read long ago. */
  drop(now: number): void {
    for (const [name, { readAt }] of this.#kept) {
      if (readAt + KEPT_MS > now) return;
      this.#kept.delete(name);
    }
  }

  forget(organization: string): void {
    for (const [name, day] of this.#kept) if (day.organization === organization) this.#kept.delete(name);
  }

  /** Adds the days before the first that is not kept. @returns what is left to read */
  #take(organization: string, { grain, from, to }: PeriodQuery, into: Period[]): readonly PeriodQuery[] {
    for (let at = from; at < to; at += DAY_MS) {
      const day = this.#kept.get(nameOf(organization, at));
      if (day === undefined) return [{ grain, from: at, to }];
      into.push(...day.periods);
    }
    return [];
  }

  #keep(organization: string, { from, to }: PeriodQuery, read: readonly Period[], now: number): void {
    const days = Map.groupBy(
      read.filter(({ grain }) => grain === 'day'),
      ({ at }) => at,
    );
    for (let at = from; at < to && at + DAY_MS + HOUR_MS <= now; at += DAY_MS) {
      const name = nameOf(organization, at);
      this.#kept.delete(name);
      this.#kept.set(name, { organization, readAt: now, periods: days.get(at) ?? [] });
    }
    for (const name of this.#kept.keys()) {
      if (this.#kept.size <= MOST_DAYS) return;
      this.#kept.delete(name);
    }
  }
}

const nameOf = (organization: string, at: number) => `${organization} ${at}`;
