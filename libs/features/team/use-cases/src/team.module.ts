import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AcceptInvitationHandler } from './accept-invitation/accept-invitation.handler.ts';
import { ChangeMemberHandler } from './change-member/change-member.handler.ts';
import { InviteMemberHandler } from './invite-member/invite-member.handler.ts';
import { ListInvitationsHandler } from './list-invitations/list-invitations.handler.ts';
import { ListMembersHandler } from './list-members/list-members.handler.ts';
import { RemoveMemberHandler } from './remove-member/remove-member.handler.ts';
import { WithdrawInvitationHandler } from './withdraw-invitation/withdraw-invitation.handler.ts';

/** The use cases of members and invitations. */
@Module({})
export class TeamModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: TeamModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        ListMembersHandler,
        ChangeMemberHandler,
        RemoveMemberHandler,
        ListInvitationsHandler,
        InviteMemberHandler,
        WithdrawInvitationHandler,
        AcceptInvitationHandler,
      ],
      exports: [CqrsModule],
    };
  }
}
