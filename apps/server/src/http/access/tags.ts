import type { Caller, TagSelection } from '#kernel';
import { ApiError } from '../errors/api-error.ts';

/**
 * Returns the tags that the request names, or without any, all tags that the key may read.
 * @throws ApiError 403 for a tag outside the key's tags
 */
export function readableTags(caller: Caller, named: readonly string[]): TagSelection {
  if (named.length === 0) return caller.tags;
  if (caller.tags === 'all') return named;
  for (const tag of named) {
    if (!caller.tags.includes(tag)) throw new ApiError('forbidden', `The key may not read ${tag}`, 'containerTag');
  }
  return named;
}
