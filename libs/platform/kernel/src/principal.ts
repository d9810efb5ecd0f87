import type { OrganizationId } from './ids.ts';
import type { TagSelection } from './tags.ts';

export type Role = 'owner' | 'admin' | 'member';

/** Who makes a request, as the key or the session says, by whichever protocol it comes. */
export interface Principal {
  readonly organization: OrganizationId;
  /** Id of the key. Of a session that was not made from a key: of the member. */
  readonly keyId: string;
  /** Id of the session. Absent: the request came with a key. */
  readonly session?: string;
  readonly role: Role;
  /** Id of the member whose key or session it is. Absent: it belongs to the organization. */
  readonly member?: string;
  /** Id of the connection to a source in whose name the server acts. Absent: somebody makes the request. */
  readonly connection?: string;
  /** The key is a token for the tool server alone. Absent: it is for all of the API. */
  readonly audience?: 'mcp';
  /** Tags that the key may read; `all` for a full key. */
  readonly tags: TagSelection;
  /** Tags that the key may write; a part of `tags`. */
  readonly writableTags: TagSelection;
  /** Limit of the key's own. Absent: that of the settings. */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number };
}

/** How an event names who caused it. */
export const actorOf = ({ keyId, member, connection }: Principal): string => {
  if (connection !== undefined) return `connection:${connection}`;
  return keyId === member ? memberActor(member) : `key:${keyId}`;
};

/** How an event names a member who has caused it without a key. */
export const memberActor = (member: string): string => `member:${member}`;
