import type { Json, JsonObject } from '#platform/kernel';
import { dateInWords, isoDateOf } from '../dates.ts';
import type { Turn } from './conversation.ts';

const ISO = /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?\s*$/;
/** Seconds or milliseconds since the Unix epoch. */
const EPOCH = /^\d{9,13}(?:\.\d+)?$/;

/** Returns the time of the first key that holds one, in ISO 8601 and in its own time zone. Null: none does. */
export function timeAt(value: JsonObject, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const time = timeOf(value[key]);
    if (time !== null) return time;
  }
  return null;
}

function timeOf(value: Json | undefined): string | null {
  if (typeof value === 'number' || (typeof value === 'string' && EPOCH.test(value))) return timeOfEpoch(Number(value));
  const [, day, clock, zone = ''] = ISO.exec(typeof value === 'string' ? value : '') ?? [];
  if (day === undefined || dateInWords(day) === null) return null;
  return clock === undefined ? day : `${day}T${clock}${zone === 'UTC' ? 'Z' : zone}`;
}

/** Numbers are seconds or milliseconds, depending on their size. */
function timeOfEpoch(value: number): string | null {
  const date = new Date(value < 1e11 ? value * 1000 : value);
  return value > 1e8 && !Number.isNaN(date.getTime()) ? date.toISOString() : null;
}

/** Returns a time with its zone, which is known by the same moment since the Unix epoch. Without that, as it is. */
export function withZone(time: string | null, epoch: string | null): string | null {
  if (time === null || epoch === null || !/T[\d:]+$/.test(time)) return time;
  const minutes = Math.round((Date.parse(`${time}Z`) / 1000 - Number(epoch)) / 60);
  if (!(Math.abs(minutes) <= 14 * 60)) return time;
  const parts = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${time}${minutes < 0 ? '-' : '+'}${parts.join(':')}`;
}

/** Returns `8 May 2023, 13:56`, in the time zone of the source. The month is a word because questions name months. */
export function timeInWords(time: string): string {
  const [day = '', clock] = time.split('T');
  const date = dateInWords(day) ?? day;
  return clock === undefined ? date : `${date}, ${clock.slice(0, 5)}`;
}

/** Returns the date of a document that begins at this time. A time without a zone says the day alone. */
export const documentDateOf = (time: string): string | null =>
  isoDateOf(/T.*(?:Z|[+-][\d:]+)$/.test(time) ? time : time.slice(0, 10));

/** Returns turns whose times have the same zone from the oldest to the newest. */
export const inOrderOfTime = (turns: readonly Turn[]): readonly Turn[] =>
  turns.toSorted((a, b) => ((a.time ?? '') === (b.time ?? '') ? 0 : (a.time ?? '') < (b.time ?? '') ? -1 : 1));
