import type { Principal } from '#platform/kernel';

/** Answers about the owner of the key. The classes are types only; none is instantiated. */

/** The owner of the key of the request. */
export class Account {
  /** Id of the key. */
  readonly userId!: string;
  /** The role of the key: its owner has no name in this version. */
  readonly name!: string;
  /** Always null in this version. */
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
  /** In this version the organization of the key. */
  readonly memberships!: readonly Membership[];
}

export const membership = ({ organization, role }: Principal, orgName: string): Membership => ({
  ...{ orgId: organization, orgName, role },
});

export const account = (principal: Principal, orgName: string): Account => ({
  ...{ userId: principal.keyId, name: principal.role, email: null },
  ...membership(principal, orgName),
});
