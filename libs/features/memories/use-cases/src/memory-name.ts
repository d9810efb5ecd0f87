import { invalid } from '#platform/input';
import type { AccessScope } from '#platform/kernel';
import { permits } from '#platform/kernel';

/** A memory as a request names it: by the id of any version, or by its exact present text. */
export type MemoryName = { readonly id: string } | { readonly text: string };

/** @throws InputError if the memory is not named */
export function nameIn({ id, content }: { readonly id?: string; readonly content?: string }): MemoryName {
  if (id !== undefined) return { id };
  if (content !== undefined) return { text: content };
  throw invalid('id', 'id or content is required');
}

/** Memories that one request reads or changes at a time. */
export const AT_ONCE = 64;

/** The scope narrowed to the tag of the request. Null: the scope does not permit the tag. */
export function withinTag(scope: AccessScope, tag: string | null): AccessScope | null {
  if (tag === null) return scope;
  return permits(scope, [tag]) ? { ...scope, tags: [tag] } : null;
}
