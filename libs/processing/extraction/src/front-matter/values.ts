import type { Json, JsonObject } from '#platform/kernel';
import { normalize } from '../normalize.ts';

/** As JSON, when every reference in it is followed: an event holds it beside a text. */
const MAX_BYTES = 20_000;
/** Lists and objects inside each other. */
const MAX_DEPTH = 20;

/**
 * Returns the values of parsed front matter as JSON, without those that are empty. Null: there are none, or it is too large.
 * @param parsed may hold an object many times, and itself
 */
export function frontMatterValues(parsed: unknown): JsonObject | null {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  let left = MAX_BYTES;
  const isWithin = (value: unknown, depth: number): boolean => {
    left -= typeof value === 'string' ? value.length : 1;
    if (left < 0 || depth > MAX_DEPTH) return false;
    if (typeof value !== 'object' || value === null) return true;
    return Object.entries(value).every(([key, item]) => isWithin(key, depth) && isWithin(item, depth + 1));
  };
  if (!isWithin(parsed, 0)) return null;
  const named = Object.entries(parsed)
    .map(([key, value]) => [normalize(key), jsonOf(value)] as const)
    .filter(([key, value]) => key !== '' && value !== null);
  const values: JsonObject = Object.fromEntries(named);
  return named.length === 0 || Buffer.byteLength(JSON.stringify(values)) > MAX_BYTES ? null : values;
}

function jsonOf(value: unknown): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof Date) return value.toISOString().replace(/\.000(?!\d)/, '');
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value !== 'object') return normalize(String(value));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [normalize(key), jsonOf(item)]));
}
