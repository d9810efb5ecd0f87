import { err, isAtMost, type OrganizationId, ok, type Result, type Role, type TagPermission } from '#platform/kernel';
import type {
  InvitationExpired,
  InvitationMailed,
  InvitationWithdrawn,
  MemberAdmitted,
  MemberChanged,
  MemberIdentified,
  MemberInvited,
  MemberJoined,
  MemberRemoved,
  OwnersEvent,
} from './events.ts';
import type { Identity, Invitation, Member, MemberState, OwnersState } from './state.ts';

export type TeamRefusal =
  | 'member_not_found'
  | 'invitation_not_found'
  /** The caller, the member or the invitation has, or would have, a role above that of the caller. */
  | 'member_above_role'
  /** Owners and admins reach all tags. */
  | 'restricted_role'
  | 'last_owner'
  /** The address is that of a member. */
  | 'already_member'
  /** The member signs in with another account. */
  | 'other_identity';

/** Who manages the team. */
export interface Manager {
  readonly organization: OrganizationId;
  readonly role: Role;
}

export interface MemberChanges {
  readonly role?: Role;
  /** Null: all tags. */
  readonly containerTags?: readonly TagPermission[] | null;
}

export function decideInvite(by: Manager, payload: MemberInvited['payload']): Result<[MemberInvited], TeamRefusal> {
  const { role, containerTags } = payload;
  if (!isAtMost(role, by.role)) return err('member_above_role');
  if (role !== 'member' && containerTags !== null) return err('restricted_role');
  return ok([{ type: 'MemberInvited', payload }]);
}

export function decideMailed(state: MemberState, error: string | null): readonly InvitationMailed[] {
  return state.status === 'invited' ? [{ type: 'InvitationMailed', payload: { error } }] : [];
}

export function decideWithdraw(state: MemberState, by: Manager): Result<[InvitationWithdrawn], TeamRefusal> {
  const invitation = invitationFor(state, by);
  if (!invitation.ok) return invitation;
  if (!isAtMost(invitation.value.role, by.role)) return err('member_above_role');
  return ok([{ type: 'InvitationWithdrawn', payload: null }]);
}

/** @param now milliseconds since the Unix epoch */
export function decideExpire(state: MemberState, now: number): readonly InvitationExpired[] {
  const isOver = state.status === 'invited' && !isPending(state.invitation, now);
  return isOver ? [{ type: 'InvitationExpired', payload: null }] : [];
}

/** Who joins: the name, and the account with which the person has signed in, if any. */
export interface Joining {
  readonly name: string | null;
  readonly identity: Identity | null;
}

/** The invitation must be pending, so that nobody joins by it twice. @param now milliseconds since the Unix epoch */
export function decideJoin(
  state: MemberState,
  { name, identity }: Joining,
  now: number,
): Result<readonly (MemberJoined | MemberIdentified)[], 'invitation_not_found'> {
  if (state.status !== 'invited' || !isPending(state.invitation, now)) return err('invitation_not_found');
  return ok([{ type: 'MemberJoined', payload: { name } }, ...(identity === null ? [] : [identified(identity)])]);
}

export const decideAdmit = (
  member: MemberAdmitted['payload'],
  identity: Identity,
): readonly [MemberAdmitted, MemberIdentified] => [{ type: 'MemberAdmitted', payload: member }, identified(identity)];

/** The first account with which a member signs in stays the one of the member. */
export function decideIdentify(
  state: MemberState,
  identity: Identity,
): Result<readonly MemberIdentified[], 'member_not_found' | 'other_identity'> {
  if (state.status !== 'joined') return err('member_not_found');
  const known = state.member.identity;
  if (known === null) return ok([identified(identity)]);
  return isSame(known, identity) ? ok([]) : err('other_identity');
}

const identified = ({ issuer, subject }: Identity): MemberIdentified => ({
  type: 'MemberIdentified',
  payload: { issuer, subject },
});

const isSame = (a: Identity, b: Identity): boolean => a.issuer === b.issuer && a.subject === b.subject;

export function decideChange(
  state: MemberState,
  by: Manager,
  changes: MemberChanges,
): Result<readonly MemberChanged[], TeamRefusal> {
  const found = memberFor(state, by);
  if (!found.ok) return found;
  const member = found.value;
  const { role = member.role, containerTags = member.containerTags } = changes;
  if (!isAtMost(role, by.role)) return err('member_above_role');
  if (role !== 'member' && containerTags !== null) return err('restricted_role');
  const payload = {
    ...(role !== member.role && { role }),
    ...(JSON.stringify(containerTags) !== JSON.stringify(member.containerTags) && { containerTags }),
  };
  return ok(Object.keys(payload).length === 0 ? [] : [{ type: 'MemberChanged', payload }]);
}

export function decideRemove(state: MemberState, by: Manager): Result<[MemberRemoved], TeamRefusal> {
  const member = memberFor(state, by);
  return member.ok ? ok([{ type: 'MemberRemoved', payload: null }]) : member;
}

export function decideOwner(state: OwnersState, id: string): readonly OwnersEvent[] {
  return state.includes(id) ? [] : [{ type: 'OwnerAdded', payload: { id } }];
}

/** An organization that has owners keeps one. */
export function decideNoOwner(state: OwnersState, id: string): Result<readonly OwnersEvent[], 'last_owner'> {
  if (!state.includes(id)) return ok([]);
  return state.length === 1 ? err('last_owner') : ok([{ type: 'OwnerRemoved', payload: { id } }]);
}

/** @param now milliseconds since the Unix epoch */
export const isPending = ({ expiresAt }: Invitation, now: number): boolean => now < expiresAt;

/** A member whom the caller may manage: another organization's does not exist for it. */
function memberFor(state: MemberState, by: Manager): Result<Member, TeamRefusal> {
  if (state.status !== 'joined' || state.member.organization !== by.organization) return err('member_not_found');
  return isAtMost(state.member.role, by.role) ? ok(state.member) : err('member_above_role');
}

function invitationFor(state: MemberState, by: Manager): Result<Invitation, TeamRefusal> {
  const isOwn = state.status === 'invited' && state.invitation.organization === by.organization;
  return isOwn ? ok(state.invitation) : err('invitation_not_found');
}
