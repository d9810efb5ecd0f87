import type { OrganizationId, Principal, Role, TagPermission } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import type { IssuedKey, KeyLimits } from './key.ts';
import { principalOf } from './principal.ts';

/** What a member of an organization may do at present. */
export interface MemberRights {
  readonly role: Role;
  /** Null: all tags. */
  readonly containerTags: readonly TagPermission[] | null;
}

/** What is kept in memory and follows the log together with the keys. */
export interface Followed {
  /** Of its streams. */
  readonly categories: readonly string[];
  /** Takes an event of the log. Those that are known and those of other streams change nothing. */
  apply(event: RecordedEvent): void;
}

/** The members of organizations, for whom keys may be. */
export interface Members extends Followed {
  /** Returns the same object until something changes. Null: nobody is a member under this id, or not any more. */
  rightsOf(id: string): MemberRights | null;
}

/** Of an installation without teams. */
export const NO_MEMBERS: Members = { categories: [], apply: () => {}, rightsOf: () => null };

/** The key of a member as it is now: it has the role of the member, and none of its limits permits more than the member may. */
export const keyOfMember = (key: IssuedKey, { role, containerTags }: MemberRights): IssuedKey => ({
  ...key,
  role,
  ...(containerTags !== null && { limits: confined(key.limits, containerTags) }),
});

/** A member who makes requests without a key. */
export const principalOfMember = (
  organization: OrganizationId,
  id: string,
  { role, containerTags }: MemberRights,
): Principal =>
  principalOf({ organization, id, role, member: id, limits: containerTags === null ? {} : { containerTags } });

/** A key as it is within what another one permits now. */
export function keyWithin(key: IssuedKey, { role, limits: { containerTags, permission } }: IssuedKey): IssuedKey {
  const limits = permission === 'read' ? reading(key.limits) : key.limits;
  return { ...key, role, limits: containerTags === undefined ? limits : confined(limits, containerTags) };
}

function reading({ containerTags, ...others }: KeyLimits): KeyLimits {
  if (containerTags === undefined) return { ...others, permission: 'read' };
  return { ...others, containerTags: containerTags.map((one) => ({ ...one, permission: 'read' })) };
}

function confined(limits: KeyLimits, tags: readonly TagPermission[]): KeyLimits {
  const { permission, ...others } = limits;
  const own = new Map(limits.containerTags?.map((one) => [one.containerTag, one.permission]));
  const containerTags = tags.flatMap((one) => {
    const ofKey = limits.containerTags === undefined ? (permission ?? 'write') : own.get(one.containerTag);
    return ofKey === undefined ? [] : [ofKey === 'read' ? { ...one, permission: ofKey } : one];
  });
  return { ...others, containerTags };
}

/** The one that stays, so that who compares principals notices changes only. */
export function kept(principal: Principal, former: Principal | undefined): Principal {
  return former !== undefined && JSON.stringify(former) === JSON.stringify(principal) ? former : principal;
}
