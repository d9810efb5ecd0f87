import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type TeamRefusal, TeamRepository } from '#features/team';
import { actorOf, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { WithdrawInvitation } from './withdraw-invitation.command.ts';

@CommandHandler(WithdrawInvitation)
export class WithdrawInvitationHandler implements ICommandHandler<WithdrawInvitation> {
  constructor(private readonly team: TeamRepository) {}

  async execute({ principal, id }: WithdrawInvitation): Promise<Result<void, TeamRefusal>> {
    const withdrawn = await this.team.withdraw(principal, requestCause(actorOf(principal)), id);
    return withdrawn.ok ? ok(undefined) : withdrawn;
  }
}
