import type { Principal, Scope, TagSelection } from '#platform/kernel';
import { ApiError } from '../errors/api-error.ts';

/**
 * Returns the scope of a read: the tags that the request names, or without any, all tags that the key may read.
 * @throws ApiError 403 for a tag outside the key's tags
 */
export function scopeOf({ organization, tags }: Principal, named: readonly string[]): Scope {
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
  principal: Principal,
  named: readonly string[],
  asOf: number | null,
): { readonly scope: Scope; readonly tagsThen?: TagSelection } {
  const scope = scopeOf(principal, named);
  if (asOf === null) return { scope };
  return { scope: scopeOf(principal, []), tagsThen: named.length === 0 ? 'all' : scope.tags };
}
