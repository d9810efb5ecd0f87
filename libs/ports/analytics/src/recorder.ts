import { type Clock, newId, systemClock } from '#platform/kernel';
import { FinishedDays } from './finished-days.ts';
import { addTokens, type ChatTokens, countIn, DAY_MS, HOUR_MS, type Period } from './period.ts';
import type { Analytics, AnalyticsStore, PeriodQuery, RequestFilter, RequestPage, Span } from './port.ts';
import type { AnsweredRequest, LoggedRequest } from './request.ts';

export const RETENTION_MS = 90 * DAY_MS;
/** With the write, a crash loses at most a second. */
const WRITE_EVERY_MS = 900;
/** Of one write. */
const MOST_WRITTEN = 10_000;
/** Single requests, and periods, that wait in memory while the store does not answer. */
const MOST_WAITING = 100_000;
const MOST_PERIODS = 10_000;

export interface RecorderOptions {
  /** For single requests. 0: nothing is recorded. */
  readonly maxBytes: number;
  /** Called with the number of single requests that could not be stored. */
  readonly onLost?: (requests: number) => void;
  readonly clock?: Clock;
}

interface Current {
  readonly hour: Period;
  readonly day: Period;
}

/** Counts in memory, and stores what has changed about once a second. */
export class Recorder implements Analytics {
  readonly #store: AnalyticsStore;
  readonly #finishedDays: FinishedDays;
  readonly #clock: Clock;
  readonly #maxRequests: number;
  readonly #onLost: (requests: number) => void;
  readonly #timer: NodeJS.Timeout;
  /** By organization. */
  readonly #current = new Map<string, Current>();
  #changed = new Set<Period>();
  #waiting: LoggedRequest[] = [];
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #retainedAt = 0;
  #sinceRetained = 0;

  constructor(store: AnalyticsStore, { maxBytes, onLost = () => {}, clock = systemClock }: RecorderOptions) {
    this.#store = store;
    this.#finishedDays = new FinishedDays(store);
    this.#clock = clock;
    this.#maxRequests = Math.floor(maxBytes / store.requestBytes);
    this.#onLost = onLost;
    this.#timer = setInterval(() => void this.#write(), WRITE_EVERY_MS).unref();
  }

  record(request: AnsweredRequest): void {
    if (this.#maxRequests === 0) return;
    const at = this.#clock.now();
    const { hour, day } = this.#periodsOf(request.organization, at);
    countIn(hour, request, at);
    countIn(day, request, at);
    this.#changed.add(hour).add(day);
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push({ ...request, id: newId(), at });
    else this.#onLost(1);
  }

  recordTokens(organization: string, tokens: Readonly<ChatTokens>): void {
    if (this.#maxRequests === 0) return;
    for (const period of Object.values(this.#periodsOf(organization, this.#clock.now()))) {
      addTokens(period, tokens);
      this.#changed.add(period);
    }
  }

  periods(organization: string, span: Span): Promise<readonly Period[]> {
    return this.#finishedDays.periods(organization, partsOf(span), this.#clock.now());
  }

  requests(organization: string, filter: RequestFilter, page: RequestPage) {
    return this.#store.requests(organization, filter, page);
  }

  async forget(organization: string): Promise<void> {
    const isOther = (one: { readonly organization: string }) => one.organization !== organization;
    // What could not be written is put back at its end.
    await this.#writing;
    this.#current.delete(organization);
    this.#changed = new Set([...this.#changed].filter(isOther));
    this.#waiting = this.#waiting.filter(isOther);
    await this.#store.forget(organization);
    this.#finishedDays.forget(organization);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#write();
    await this.#store.close();
  }

  #periodsOf(organization: string, at: number): Current {
    const found = this.#current.get(organization);
    const [hourAt, dayAt] = [at - (at % HOUR_MS), at - (at % DAY_MS)];
    if (found?.hour.at === hourAt) return found;
    const made = (grain: Period['grain'], at: number): Period => ({
      ...{ id: newId(), organization, grain, at },
      ...{ types: {}, keys: {}, hours: {} },
    });
    const day = found?.day.at === dayAt ? found.day : made('day', dayAt);
    const current = { hour: made('hour', hourAt), day };
    this.#current.set(organization, current);
    return current;
  }

  #write(): Promise<void> {
    if (this.#isWriting) return this.#writing;
    this.#isWriting = true;
    this.#writing = this.#writeAll().finally(() => {
      this.#isWriting = false;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    this.#finishedDays.drop(this.#clock.now());
    const [changed, waiting] = [this.#changed, this.#waiting];
    this.#changed = new Set();
    this.#waiting = [];
    let written = 0;
    try {
      while (written < waiting.length || changed.size > 0) {
        await this.#store.write(waiting.slice(written, written + MOST_WRITTEN), [...changed]);
        written += MOST_WRITTEN;
        changed.clear();
      }
      this.#sinceRetained += waiting.length;
    } catch {
      this.#putBack(waiting.slice(written), changed);
      return;
    }
    await this.#retain();
  }

  /** To be written with what comes next. */
  #putBack(requests: readonly LoggedRequest[], changed: ReadonlySet<Period>): void {
    const room = MOST_WAITING - this.#waiting.length;
    const kept = requests.slice(0, room);
    this.#waiting = [...kept, ...this.#waiting];
    if (kept.length < requests.length) this.#onLost(requests.length - kept.length);
    this.#changed = new Set([...[...changed].slice(-MOST_PERIODS), ...this.#changed]);
  }

  /** Hourly, and whenever a tenth of what may be kept has come. */
  async #retain(): Promise<void> {
    const now = this.#clock.now();
    const isMuch = this.#sinceRetained > this.#maxRequests / 10;
    if (now - this.#retainedAt < HOUR_MS && !isMuch) return;
    this.#retainedAt = now;
    this.#sinceRetained = 0;
    const since = now - RETENTION_MS;
    await this.#store.retain({ since: since - (since % HOUR_MS), requests: this.#maxRequests }).catch(() => {});
    for (const [organization, { day }] of this.#current) {
      if (day.at + DAY_MS <= now) this.#current.delete(organization);
    }
  }
}

/** The whole days in a span, and the hours before and after them. */
function partsOf({ from, to }: Span): readonly PeriodQuery[] {
  const firstDay = Math.ceil(from / DAY_MS) * DAY_MS;
  const lastDay = to - (to % DAY_MS);
  if (firstDay >= lastDay) return [{ grain: 'hour', from, to }];
  return [
    { grain: 'hour' as const, from, to: firstDay },
    { grain: 'day' as const, from: firstDay, to: lastDay },
    { grain: 'hour' as const, from: lastDay, to },
  ].filter((part) => part.from < part.to);
}
