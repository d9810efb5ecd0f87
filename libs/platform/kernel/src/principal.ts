import type { OrganizationId } from './ids.ts';
import type { TagSelection } from './tags.ts';

export type Role = 'owner' | 'admin' | 'member';

/** Who makes a request, as the key says, by whichever protocol it comes. */
export interface Principal {
  readonly organization: OrganizationId;
  readonly keyId: string;
  readonly role: Role;
  /** Id of the member whose key it is. Absent: it belongs to the organization. */
  readonly member?: string;
  /** Tags that the key may read; `all` for a full key. */
  readonly tags: TagSelection;
  /** Tags that the key may write; a part of `tags`. */
  readonly writableTags: TagSelection;
  /** Limit of the key's own. Absent: that of the settings. */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number };
}

/** How an event names who caused it. */
export const actorOf = (principal: Principal): string => `key:${principal.keyId}`;
