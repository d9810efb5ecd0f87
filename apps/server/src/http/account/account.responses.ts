import type { Membership as KnownMembership } from '#features/sessions/use-cases';
import type { Member } from '#features/team';
import type { Principal } from '#platform/kernel';

/** Answers about the owner of the key. The classes are types only; none is instantiated. */

/** The owner of the key of the request. */
export class Account {
  /** Id of the member whose key it is; or of the key itself, if it belongs to the organization. */
  readonly userId!: string;
  /** Name of the member whose key it is. If the member has no name, or the key belongs to the organization: the role of the key. */
  readonly name!: string;
  /** Null: the key belongs to the organization. */
  readonly email!: string | null;
  /** Id of the organization that owns all data of the key. */
  readonly orgId!: string;
  /** Name of the organization. */
  readonly orgName!: string;
  /** Role of the key. */
  readonly role!: 'owner' | 'admin' | 'member';
}

/** An organization to which the owner of the key belongs. */
export class Membership {
  /** Id of the organization. */
  readonly orgId!: string;
  /** Name of the organization. */
  readonly orgName!: string;
  /** Role in the organization. */
  readonly role!: 'owner' | 'admin' | 'member';
}

/** The organizations to which the owner of the key belongs. */
export class Memberships {
  /** The first joined first. */
  readonly memberships!: readonly Membership[];
}

export const membership = ({ organization, role }: KnownMembership, orgName: string): Membership => ({
  ...{ orgId: organization, orgName, role },
});

/** @param member whose key it is; null: it belongs to the organization */
export const account = (principal: Principal, orgName: string, member: Member | null): Account => ({
  ...{ userId: member?.id ?? principal.keyId, name: member?.name ?? principal.role, email: member?.email ?? null },
  ...membership(principal, orgName),
});
