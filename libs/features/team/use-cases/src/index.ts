export { AcceptInvitationInput, acceptInvitation } from './accept-invitation/accept-invitation.input.ts';
export { ChangeMemberInput, changeMember } from './change-member/change-member.input.ts';
export { InviteMemberInput, inviteMember } from './invite-member/invite-member.input.ts';
export { ListInvitations } from './list-invitations/list-invitations.query.ts';
export { ListMembers } from './list-members/list-members.query.ts';
export { RemoveMember } from './remove-member/remove-member.command.ts';
export { TeamModule } from './team.module.ts';
export { WithdrawInvitation } from './withdraw-invitation/withdraw-invitation.command.ts';
