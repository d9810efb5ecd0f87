import {
  DEFAULT_TAG,
  err,
  ok,
  type Principal,
  permitsEach,
  type Result,
  type Scope,
  writeScope,
} from '#platform/kernel';

/** Why a request cannot begin a document. `tag_required`: it names no tag, and the key may write several. */
export type NoTags = 'forbidden' | 'tag_required';

/**
 * Returns the tags of a new document: those that the request names, else the only tag that the key may write, else
 * the default one.
 */
export function tagsOfNew(scope: Scope, named: readonly string[]): Result<readonly string[], NoTags> {
  if (named.length > 0) return permitsEach(scope, named) ? ok(named) : err('forbidden');
  if (scope.tags === 'all') return ok([DEFAULT_TAG]);
  if (scope.tags.length > 1) return err('tag_required');
  return scope.tags.length === 1 ? ok(scope.tags) : err('forbidden');
}

/** Returns the tags that a request has written to: those that it names, or those with which its document began. */
export function writtenTags(
  principal: Principal,
  named: readonly string[],
  { isNew }: { readonly isNew: boolean },
): readonly string[] {
  if (!isNew) return named;
  const tags = tagsOfNew(writeScope(principal), named);
  return tags.ok ? tags.value : named;
}
