import type { OrganizationId } from './ids.ts';

/** Which tags a read may touch: a record matches if it carries at least one of them; `all` is the whole organization. */
export type TagSelection = 'all' | readonly string[];

/** Who may see what. A required argument of every store and search call, so that no path can forget it. */
export interface Scope {
  readonly organization: OrganizationId;
  readonly tags: TagSelection;
}
