import { addDuration, addDurations, type Durations } from './durations.ts';
import type { AnsweredRequest, RequestType } from './request.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Requests that are counted together. */
export interface Figures {
  count: number;
  /** Sum of their durations. */
  milliseconds: number;
  /** When the last one was answered. Milliseconds since the epoch. */
  last: number;
  readonly durations: Durations;
}

export interface HourFigures extends Figures {
  /** Requests that failed, by type. */
  readonly errors: Partial<Record<RequestType, number>>;
}

/** Tokens of calls of language models. */
export interface ChatTokens {
  /** Went on to the providers. */
  processed: number;
  /** Of turns that were left out. */
  saved: number;
  /** Were cached, as the providers say. */
  cached: number;
}

/** What one process has counted of an organization in an hour or in a day (UTC). */
export interface Period {
  readonly id: string;
  readonly organization: string;
  readonly grain: 'hour' | 'day';
  /** Its beginning. Milliseconds since the epoch. */
  readonly at: number;
  /** By type and status. */
  readonly types: Partial<Record<RequestType, Record<string, Figures>>>;
  /** By the id of the key. */
  readonly keys: Record<string, Figures>;
  /** Each of its hours, by its beginning. */
  readonly hours: Record<string, HourFigures>;
  /** Absent: no model was called. */
  tokens?: ChatTokens;
}

export const noFigures = (): Figures => ({ count: 0, milliseconds: 0, last: 0, durations: [] });

/** Adds requests to figures. */
export function addFigures(to: Figures, from: Figures): void {
  to.count += from.count;
  to.milliseconds += from.milliseconds;
  to.last = Math.max(to.last, from.last);
  addDurations(to.durations, from.durations);
}

export const isFailure = (status: number): boolean => status >= 400;

/** Counts a request. */
export function countIn(period: Period, { type, status, keyId, milliseconds }: AnsweredRequest, at: number): void {
  const ofType = found(period.types as Record<string, Record<string, Figures>>, type, () => ({}));
  const ofHour = found(
    period.hours,
    String(at - (at % HOUR_MS)),
    (): HourFigures => ({
      ...noFigures(),
      errors: {},
    }),
  );
  for (const figures of [found(ofType, String(status), noFigures), found(period.keys, keyId, noFigures), ofHour]) {
    figures.count += 1;
    figures.milliseconds += milliseconds;
    figures.last = at;
    addDuration(figures.durations, milliseconds);
  }
  if (isFailure(status)) ofHour.errors[type] = (ofHour.errors[type] ?? 0) + 1;
}

/** Adds tokens to those of a period. */
export function addTokens(to: { tokens?: ChatTokens }, { processed, saved, cached }: Readonly<ChatTokens>): void {
  const { tokens = { processed: 0, saved: 0, cached: 0 } } = to;
  tokens.processed += processed;
  tokens.saved += saved;
  tokens.cached += cached;
  to.tokens = tokens;
}

/** Returns what is under a name; what `make` returns is put there first if there is nothing. */
function found<T>(all: Record<string, T>, name: string, make: () => T): T {
  const there = all[name] ?? make();
  all[name] = there;
  return there;
}
