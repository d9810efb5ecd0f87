import type { Caller, Scope } from '#kernel';
import { ApiError } from '../errors/api-error.ts';

/**
 * Returns the scope of a read: the tags that the request names, or without any, all tags that the key may read.
 * @throws ApiError 403 for a tag outside the key's tags
 */
export function scopeOf({ organization, tags }: Caller, named: readonly string[]): Scope {
  if (named.length === 0) return { organization, tags };
  const refused = tags === 'all' ? undefined : named.find((tag) => !tags.includes(tag));
  if (refused !== undefined) throw new ApiError('forbidden', `The key may not read ${refused}`, 'containerTag');
  return { organization, tags: named };
}
