import { ForbiddenError } from './errors/forbidden-error.ts';
import type { OrganizationId } from './ids.ts';
import type { Principal } from './principal.ts';
import type { TagSelection } from './tags.ts';

/** Who may see what. A required argument of every store and search call, so that no path can omit it. */
export interface Scope {
  readonly organization: OrganizationId;
  readonly tags: TagSelection;
}

/** A scope for single documents: one tag of the document among `tags` permits the access. */
export interface AccessScope extends Scope {
  readonly access: 'read' | 'write';
  /** Of a write: tags that the principal may read. Absent: the same tags. */
  readonly readable?: TagSelection;
  /** Of several documents with one customId the request asks for one with any of these tags. Absent: with any tags. */
  readonly picked?: readonly string[];
  /** What was picked has to be all tags of a document that a customId addresses. Default: any of them is enough. */
  readonly isExact?: boolean;
}

/** Returns the scope of a read. @param picked as `AccessScope.picked`; empty: none */
export const readScope = ({ organization, tags }: Principal, picked: readonly string[] = []): AccessScope => ({
  organization,
  tags,
  access: 'read',
  ...(picked.length > 0 && { picked }),
});

/** Returns the scope of a write. @param picked as `AccessScope.picked`; empty: none */
export const writeScope = (
  { organization, tags, writableTags }: Principal,
  picked: readonly string[] = [],
): AccessScope => ({
  organization,
  tags: writableTags,
  access: 'write',
  ...(tags !== writableTags && { readable: tags }),
  ...(picked.length > 0 && { picked }),
});

/**
 * Returns the scope of a read by tags: those that the request names, or without any, all that the principal may read.
 * @throws ForbiddenError for a tag that the principal may not read
 */
export function scopeOf({ organization, tags }: Principal, named: readonly string[]): Scope {
  if (named.length === 0) return { organization, tags };
  const refused = tags === 'all' ? undefined : named.find((tag) => !tags.includes(tag));
  if (refused !== undefined) throw new ForbiddenError(`The key may not read ${refused}`, 'containerTag');
  return { organization, tags: named };
}

/**
 * Returns the scope of a read that may be about a past time, and the tags of then that select.
 * @param asOf null or undefined: it is about the present
 * @throws ForbiddenError as `scopeOf`
 */
export function pastScopeOf(
  principal: Principal,
  named: readonly string[],
  asOf: number | null | undefined,
): { readonly scope: Scope; readonly tagsThen?: TagSelection } {
  const scope = scopeOf(principal, named);
  if (asOf == null) return { scope };
  return { scope: scopeOf(principal, []), tagsThen: named.length === 0 ? 'all' : scope.tags };
}

/** The scope of work that no principal asked for, such as the stages of the pipeline. */
export const systemScope = (organization: string): AccessScope => ({
  organization: organization as OrganizationId,
  tags: 'all',
  access: 'write',
});

export const permits = (scope: Scope, tags: readonly string[]): boolean =>
  scope.tags === 'all' || tags.some((tag) => scope.tags.includes(tag));

/** Whether every one of the tags is in the scope, as for what is written to them. */
export const permitsEach = (scope: Scope, tags: readonly string[]): boolean =>
  scope.tags === 'all' || tags.every((tag) => scope.tags.includes(tag));
