import { LRUCache } from 'lru-cache';

/** Names that many documents have in common. One that was forgotten is in memory twice. */
const REMEMBERED = 5_000;

const names = new LRUCache<string, string>({ max: REMEMBERED });
const tagLists = new LRUCache<string, readonly string[]>({ max: REMEMBERED });

/** Returns an equal text, the same one for each call. */
export function once(text: string): string {
  const known = names.get(text);
  if (known === undefined) names.set(text, text);
  return known ?? text;
}

/** Returns an equal list, the same one for each call. */
export function onceTags(tags: readonly string[]): readonly string[] {
  const key = JSON.stringify(tags);
  const known = tagLists.get(key);
  if (known === undefined) tagLists.set(key, tags);
  return known ?? tags;
}

/** Returns an equal text that is no part of a longer one, which would be kept with it. @param id ASCII */
export const flat = (id: string): string => Buffer.from(id, 'latin1').toString('latin1');
