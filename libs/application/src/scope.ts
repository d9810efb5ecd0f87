import type { Caller, Scope, TagSelection } from '#kernel';

/** What a request may read: the tags that it asks for, as far as its key allows them. */
export function scopeOf(caller: Caller, asked: TagSelection): Scope {
  const { organization, tags: allowed } = caller;
  if (allowed === 'all') return { organization, tags: asked };
  return { organization, tags: asked === 'all' ? allowed : asked.filter((tag) => allowed.includes(tag)) };
}
