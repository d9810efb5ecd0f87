import type { Invitation, Member } from '#features/team';
import { isoTime, type TagPermission } from '#platform/kernel';
import type { PermittedTag } from '../meta/meta.responses.ts';

/** Answers about members and invitations. The classes are types only; none is instantiated. */

/** What a person may do. */
class PersonAccess {
  /** What the person may manage. */
  readonly role!: 'owner' | 'admin' | 'member';
  /** `restricted`: the person reaches some tags only. */
  readonly accessType!: 'full' | 'restricted';
  /** The only tags of a person whose access is restricted. Empty for all others, who reach all tags. */
  readonly containerTags!: readonly PermittedTag[];
}

/** A member of the organization. */
export class MemberRecord extends PersonAccess {
  /** Id of the membership. */
  readonly id!: string;
  /** Id of the person. In this version the same. */
  readonly userId!: string;
  /** E-mail address. */
  readonly email!: string;
  /** Null: not stated. */
  readonly name!: string | null;
  /** When the person joined. */
  readonly createdAt!: string;
}

/** The members of the organization. */
export class MemberList {
  /** The first joined first. */
  readonly members!: readonly MemberRecord[];
}

/** What became of the mail with the link. */
export class InvitationMail {
  /** `sent`: the mail server has it. */
  readonly status!: 'sent' | 'failed';
  /** Why it could not be sent. Null: it was. */
  readonly error!: string | null;
}

/** An invitation that is pending. */
export class InvitationRecord extends PersonAccess {
  /** Id of the invitation, and of the member that it leads to. */
  readonly id!: string;
  /** E-mail address of the person. */
  readonly email!: string;
  /** Always `pending`: other invitations are not shown. */
  readonly status!: 'pending';
  /** When the person was invited. */
  readonly createdAt!: string;
  /** From then on it cannot be accepted. */
  readonly expiresAt!: string;
  /** Null: no mail was sent, or it is not known. */
  readonly mail!: InvitationMail | null;
}

/** A new invitation. Only this answer has the token. */
export class CreatedInvitation extends InvitationRecord {
  /** Who has it can accept the invitation. It cannot be read again. */
  readonly token!: string;
}

/** The pending invitations of the organization. */
export class InvitationList {
  /** The first made first. */
  readonly invitations!: readonly InvitationRecord[];
}

/** A new member, with a key or a session. Only this answer has the key. */
export class AcceptedInvitation {
  /** The member. */
  readonly member!: MemberRecord;
  /** The secret of the key of the member: the value for `Authorization: Bearer`. It cannot be read again. Null: the browser has a session. */
  readonly key!: string | null;
}

const accessOf = ({ role, containerTags }: Member | Invitation): PersonAccess => ({
  role,
  accessType: containerTags === null ? 'full' : 'restricted',
  containerTags: containerTags ?? ([] as readonly TagPermission[]),
});

export const memberRecord = (member: Member): MemberRecord => {
  const { id, email, name, createdAt } = member;
  return { id, userId: id, email, name, ...accessOf(member), createdAt: isoTime(createdAt) };
};

export const memberList = (members: readonly Member[]): MemberList => ({ members: members.map(memberRecord) });

export function invitationRecord(invitation: Invitation): InvitationRecord {
  const { id, email, createdAt, expiresAt, mail } = invitation;
  return {
    ...{ id, email, status: 'pending', ...accessOf(invitation) },
    ...{ createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) },
    mail: mail && { status: mail.error === null ? 'sent' : 'failed', error: mail.error },
  };
}

export const invitationList = (invitations: readonly Invitation[]): InvitationList => ({
  invitations: invitations.map(invitationRecord),
});

export const acceptedInvitation = (member: Member, key: string | null): AcceptedInvitation => ({
  member: memberRecord(member),
  key,
});
