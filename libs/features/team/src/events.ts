import type { EventCatalogue, EventOf, Role, TagPermission } from '#platform/kernel';

/** A person with this address may become a member. */
export type MemberInvited = EventOf<
  'MemberInvited',
  {
    readonly id: string;
    readonly email: string;
    readonly role: Role;
    /** Null: all tags. */
    readonly containerTags: readonly TagPermission[] | null;
    /** Of the token, which is not stored. */
    readonly hash: string;
    /** Milliseconds since the Unix epoch. */
    readonly expiresAt: number;
  }
>;

/** What became of the mail with the link. `error`: why it could not be sent; null: it was. */
export type InvitationMailed = EventOf<'InvitationMailed', { readonly error: string | null }>;

/** The last event of its stream, which it erases, as the three other ends. */
export type InvitationWithdrawn = EventOf<'InvitationWithdrawn', null>;
export type InvitationExpired = EventOf<'InvitationExpired', null>;

export type MemberJoined = EventOf<'MemberJoined', { readonly name: string | null }>;

/** A person whose address is in a domain of the settings became a member without an invitation. */
export type MemberAdmitted = EventOf<
  'MemberAdmitted',
  {
    readonly id: string;
    readonly email: string;
    readonly name: string | null;
    readonly role: Role;
    readonly containerTags: readonly TagPermission[];
  }
>;

/** The person has signed in with an account of a provider, which identifies the person from now on. */
export type MemberIdentified = EventOf<'MemberIdentified', { readonly issuer: string; readonly subject: string }>;

/** Only what changed is present. */
export type MemberChanged = EventOf<
  'MemberChanged',
  { readonly role?: Role; readonly containerTags?: readonly TagPermission[] | null }
>;

export type MemberRemoved = EventOf<'MemberRemoved', null>;

export type MemberEvent =
  | MemberInvited
  | InvitationMailed
  | InvitationWithdrawn
  | InvitationExpired
  | MemberJoined
  | MemberAdmitted
  | MemberIdentified
  | MemberChanged
  | MemberRemoved;

/** Stream `member-<id>`: one person, from the invitation on. Names, addresses and accounts stand nowhere else. */
export const MEMBER_EVENTS: EventCatalogue<MemberEvent> = {
  MemberInvited: { version: 1, payload: true },
  InvitationMailed: { version: 1, payload: true },
  InvitationWithdrawn: { version: 1, payload: false },
  InvitationExpired: { version: 1, payload: false },
  MemberJoined: { version: 1, payload: true },
  MemberAdmitted: { version: 1, payload: true },
  MemberIdentified: { version: 1, payload: true },
  MemberChanged: { version: 1, payload: true },
  MemberRemoved: { version: 1, payload: false },
};

export type OwnerAdded = EventOf<'OwnerAdded', { readonly id: string }>;
export type OwnerRemoved = EventOf<'OwnerRemoved', { readonly id: string }>;
export type OwnersEvent = OwnerAdded | OwnerRemoved;

/** Stream `owners-<organization>`: which members are owners, so that processes cannot remove the last two at the same time. */
export const OWNERS_EVENTS: EventCatalogue<OwnersEvent> = {
  OwnerAdded: { version: 1, payload: true },
  OwnerRemoved: { version: 1, payload: true },
};
