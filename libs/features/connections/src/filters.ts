import { posix } from 'node:path';
import type { ItemFilters } from './events.ts';

/** What of an item filters look at. */
interface FilteredItem {
  readonly path: string;
  readonly contentType: string | null;
  readonly size: number | null;
}

export const NO_FILTERS: ItemFilters = { include: [], exclude: [], contentTypes: [], maxBytes: null };

/** Whether an item becomes a document. Its size may be known only after it is fetched. */
export function isTaken({ include, exclude, contentTypes, maxBytes }: ItemFilters, item: FilteredItem): boolean {
  const path = item.path.replace(/^\/+/, '');
  if (include.length > 0 && !include.some((pattern) => matches(path, pattern))) return false;
  if (exclude.some((pattern) => matches(path, pattern))) return false;
  if (maxBytes !== null && item.size !== null && item.size > maxBytes) return false;
  const type = item.contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (contentTypes.length === 0 || !type) return true;
  return contentTypes.some((wanted) => isOfType(type, wanted.toLowerCase()));
}

function matches(path: string, pattern: string): boolean {
  const own = pattern.replace(/^\/+/, '');
  const isAnywhere = !pattern.slice(0, -1).includes('/');
  if (own.endsWith('/')) return isAnywhere ? `/${path}`.includes(`/${own}`) : path.startsWith(own);
  if (!isAnywhere) return posix.matchesGlob(path, own);
  return posix.matchesGlob(posix.basename(path), own);
}

const isOfType = (type: string, wanted: string): boolean =>
  wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
