import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type Member, Team } from '#features/team';
import { ListMembers } from './list-members.query.ts';

@QueryHandler(ListMembers)
export class ListMembersHandler implements IQueryHandler<ListMembers> {
  constructor(private readonly team: Team) {}

  async execute({ principal }: ListMembers): Promise<readonly Member[]> {
    return this.team.members(principal.organization);
  }
}
