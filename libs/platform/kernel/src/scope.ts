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

export const readScope = ({ organization, tags }: Principal): AccessScope => ({ organization, tags, access: 'read' });

export const writeScope = ({ organization, tags, writableTags }: Principal): AccessScope => ({
  organization,
  tags: writableTags,
  access: 'write',
  ...(tags !== writableTags && { readable: tags }),
});

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
