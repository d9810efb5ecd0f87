import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type TeamRefusal, TeamRepository } from '#features/team';
import { actorOf, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { RemoveMember } from './remove-member.command.ts';

@CommandHandler(RemoveMember)
export class RemoveMemberHandler implements ICommandHandler<RemoveMember> {
  constructor(private readonly team: TeamRepository) {}

  async execute({ principal, id }: RemoveMember): Promise<Result<void, TeamRefusal>> {
    const removed = await this.team.remove(principal, requestCause(actorOf(principal)), id);
    return removed.ok ? ok(undefined) : removed;
  }
}
