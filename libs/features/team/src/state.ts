import type { OrganizationId, Role, TagPermission } from '#platform/kernel';

interface Person {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly email: string;
  readonly role: Role;
  /** Null: all tags. */
  readonly containerTags: readonly TagPermission[] | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** An account of a provider: the same person in every organization. */
export interface Identity {
  /** Address of the provider. */
  readonly issuer: string;
  /** Id of the account at the provider. */
  readonly subject: string;
}

export interface Member extends Person {
  /** Null: not stated. */
  readonly name: string | null;
  /** With which the person signs in. Null: the person has not signed in with any yet. */
  readonly identity: Identity | null;
}

export interface Invitation extends Person {
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  /** What became of the mail with the link. Null: none was sent, or it is not known. */
  readonly mail: { readonly error: string | null } | null;
}

/** A person in an organization. */
export type MemberState =
  | { readonly status: 'absent' }
  | { readonly status: 'invited'; readonly invitation: Invitation }
  | { readonly status: 'joined'; readonly member: Member }
  /** Removed, or the invitation was withdrawn or has expired. */
  | { readonly status: 'ended' };

export const absent: MemberState = { status: 'absent' };

/** Ids of the members that are owners. */
export type OwnersState = readonly string[];

export const noOwners: OwnersState = [];
