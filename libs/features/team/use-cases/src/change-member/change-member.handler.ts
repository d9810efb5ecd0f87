import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Member, type TeamRefusal, TeamRepository } from '#features/team';
import { actorOf, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { ChangeMember } from './change-member.command.ts';

@CommandHandler(ChangeMember)
export class ChangeMemberHandler implements ICommandHandler<ChangeMember> {
  constructor(private readonly team: TeamRepository) {}

  execute({ principal, id, changes }: ChangeMember): Promise<Result<Member, TeamRefusal>> {
    return this.team.change(principal, requestCause(actorOf(principal)), id, changes);
  }
}
