import { ApiError } from './api-error.ts';
import type { Json } from './workspace.ts';

/** Paging, order and filters of lists. */

export interface Paging {
  readonly start_cursor?: unknown;
  readonly page_size?: unknown;
}

const LARGEST_PAGE = 100;

/**
 * One page of a list. A cursor is the id of the item that comes next, so that it is no longer valid when the item is gone.
 * @param kind of its results, which the answer names
 * @param largest of a page, which may hold fewer results than were asked for
 */
export function pageOf<T extends { readonly id: string }>(
  all: readonly T[],
  { start_cursor: cursor, page_size: asked = LARGEST_PAGE }: Paging,
  { kind, largest, show }: { kind: string; largest: number; show: (item: T) => Json },
): Json {
  const size = Number(asked);
  if (!Number.isInteger(size) || size < 1 || size > LARGEST_PAGE) {
    throw new ApiError(
      400,
      'validation_error',
      `page_size should be an integer from 1 to 100, instead was \`${asked}\`.`,
    );
  }
  const start = cursor === undefined || cursor === null ? 0 : all.findIndex(({ id }) => id === cursor);
  if (start === -1) {
    throw new ApiError(400, 'validation_error', `The start_cursor provided is invalid: ${cursor}`);
  }
  const end = start + Math.min(size, largest);
  const next = all[end]?.id ?? null;
  const results = all.slice(start, end).map(show);
  return { object: 'list', results, next_cursor: next, has_more: next !== null, type: kind, [kind]: {} };
}

export interface Timed {
  readonly created: number;
  readonly edited: number;
}

/** Orders by `last_edited_time` or `created_time`. */
export function ordered<T extends Timed>(all: readonly T[], sort: unknown): T[] {
  if (sort === undefined || sort === null) return [...all];
  const { timestamp, direction } = sort as { timestamp?: string; direction?: string };
  if (!['last_edited_time', 'created_time'].includes(timestamp ?? '') || !/^(a|de)scending$/.test(direction ?? '')) {
    throw new ApiError(400, 'validation_error', 'The stand-in sorts by last_edited_time and created_time alone.');
  }
  const sign = direction === 'ascending' ? 1 : -1;
  const timeOf = (one: Timed) => (timestamp === 'created_time' ? one.created : one.edited);
  return all.toSorted((a, b) => sign * (timeOf(a) - timeOf(b)));
}

const COMPARISONS: Readonly<Record<string, (time: number, given: number) => boolean>> = {
  after: (time, given) => time > given,
  on_or_after: (time, given) => time >= given,
  before: (time, given) => time < given,
  on_or_before: (time, given) => time <= given,
  equals: (time, given) => time === given,
};

/** By times, with `and` and `or`. */
export function isWanted(one: Timed, filter: unknown): boolean {
  if (filter === undefined || filter === null) return true;
  const { and, or, timestamp, ...rest } = filter as Record<string, unknown>;
  if (Array.isArray(and)) return and.every((part) => isWanted(one, part));
  if (Array.isArray(or)) return or.some((part) => isWanted(one, part));
  const condition = Object.entries((rest[String(timestamp)] ?? {}) as Record<string, string>)[0];
  const compare = COMPARISONS[condition?.[0] ?? ''];
  if (compare === undefined || condition === undefined) {
    throw new ApiError(400, 'validation_error', 'The stand-in filters by last_edited_time and created_time alone.');
  }
  return compare(timestamp === 'created_time' ? one.created : one.edited, Date.parse(condition[1]));
}
