import type { NewInvitation } from '#features/team';
import { isoTime } from '#platform/kernel';
import type { Mail } from '#platform/mail';

export interface InvitationMailParts extends NewInvitation {
  /** Name of the organization. */
  readonly organization: string;
  /** Address under which clients reach the server. */
  readonly publicUrl: string;
}

/**
 * The mail with the link. The token is in the part of the link that browsers do not send, so that it does not get into logs of
 * servers on the way.
 */
export function invitationMail({ invitation, token, organization, publicUrl }: InvitationMailParts): Mail {
  const link = `${publicUrl}/v3/team/invitations/accept#${token}`;
  const [day] = isoTime(invitation.expiresAt).split('T');
  const lines = [
    `You are invited to ${organization} on ${publicUrl}.`,
    '',
    'Open this link and accept the invitation. You then get a key of your own:',
    '',
    link,
    '',
    `The invitation is valid until ${day} and can be accepted once. If you do not want to accept it, do nothing.`,
  ];
  return { to: invitation.email, subject: `Invitation to ${organization}`, text: `${lines.join('\n')}\n` };
}
