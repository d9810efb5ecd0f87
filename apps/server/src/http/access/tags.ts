import type { Caller, Scope, TagSelection } from '#platform/kernel';
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

/**
 * Returns the scope of a read that may be about a past time, and the tags of then that select.
 * @param asOf null: it is about the present
 * @throws ApiError as `scopeOf`
 */
export function pastScopeOf(
  caller: Caller,
  named: readonly string[],
  asOf: number | null,
): { readonly scope: Scope; readonly tagsThen?: TagSelection } {
  const scope = scopeOf(caller, named);
  if (asOf === null) return { scope };
  return { scope: scopeOf(caller, []), tagsThen: named.length === 0 ? 'all' : scope.tags };
}
