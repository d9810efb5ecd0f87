import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type Invitation, Team } from '#features/team';
import { ListInvitations } from './list-invitations.query.ts';

@QueryHandler(ListInvitations)
export class ListInvitationsHandler implements IQueryHandler<ListInvitations> {
  constructor(private readonly team: Team) {}

  async execute({ principal }: ListInvitations): Promise<readonly Invitation[]> {
    return this.team.invitations(principal.organization);
  }
}
