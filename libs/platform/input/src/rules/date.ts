import { systemClock } from '#platform/kernel';
import { invalid } from '../input-error.ts';
import { asDecorator, type Complaint, Rule } from '../rule.ts';

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

const SCHEMA = { type: 'string', examples: ['2025-01-31', '2025-01-31T12:00:00.000Z'] };

/** `YYYY-MM-DD` or an ISO 8601 time, of a day that the calendar has. */
export function IsDateText(): PropertyDecorator {
  return asDecorator('isDateText', new Rule(SCHEMA, complaintAbout));
}

/** The same, not in the future. */
export function IsPastTime(): PropertyDecorator {
  const rule = new Rule(SCHEMA, (value) => {
    const isFuture = complaintAbout(value) === null && Date.parse(value as string) > systemClock.now();
    return isFuture ? { says: 'must not be in the future' } : complaintAbout(value);
  });
  return asDecorator('isPastTime', rule);
}

const complaintAbout = (value: unknown): Complaint | null =>
  typeof value === 'string' && DATE.test(value) && isInCalendar(value)
    ? null
    : { says: 'must be a date YYYY-MM-DD or an ISO 8601 time' };

/** JavaScript reads February 31st as March 3rd. */
function isInCalendar(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return (
    !Number.isNaN(Date.parse(text)) &&
    !Number.isNaN(day.getTime()) &&
    day.toISOString().slice(0, 10) === text.slice(0, 10)
  );
}

/**
 * Milliseconds since the epoch. Null: any date.
 * @throws InputError together with `asOf`
 */
export function dateIn({ validAt, asOf }: { readonly validAt?: string; readonly asOf?: string }): number | null {
  if (validAt !== undefined && asOf !== undefined) throw invalid('validAt', 'validAt and asOf exclude each other');
  return validAt === undefined ? null : Date.parse(validAt);
}

/** Milliseconds since the epoch. Null: now. */
export const momentOf = ({ asOf }: { readonly asOf?: string }): number | null =>
  asOf === undefined ? null : Date.parse(asOf);
