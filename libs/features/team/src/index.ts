export type { MemberChanges, TeamRefusal } from './decide.ts';
export { MEMBER_EVENTS, OWNERS_EVENTS } from './events.ts';
export { expireInvitations } from './expire-invitations.ts';
export { openInvitation } from './open-invitation.ts';
export type { Identity, Invitation, Member } from './state.ts';
export { Team } from './team.ts';
export { type InvitationWish, type NewInvitation, TeamRepository } from './team-repository.ts';
