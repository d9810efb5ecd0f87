import type { FormerTags } from '#platform/kernel';

/** Changes that are remembered: questions about a time before them see the tags before the first of them. */
const MOST = 100;

interface Tagged {
  readonly tags: readonly string[];
  readonly formerTags: readonly FormerTags[];
}

/** Returns `after` with the tags of `before` among its former ones, if it has others. @param at ISO 8601 */
export function withFormerTags<T extends Tagged>(before: Tagged, after: T, at: string): T {
  const { tags } = before;
  if (tags.length === after.tags.length && tags.every((tag) => after.tags.includes(tag))) return after;
  return { ...after, formerTags: [...after.formerTags, { tags, until: Date.parse(at) }].slice(-MOST) };
}
