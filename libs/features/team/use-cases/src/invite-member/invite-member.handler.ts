import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Organizations } from '#features/access';
import { type NewInvitation, type TeamRefusal, TeamRepository } from '#features/team';
import { actorOf, CLOCK, type Clock, ok, type Result } from '#platform/kernel';
import { MAILER, type Mailer } from '#platform/mail';
import { requestCause } from '#ports/event-store';
import { invitationMail } from './invitation-mail.ts';
import { InviteMember } from './invite-member.command.ts';

@CommandHandler(InviteMember)
export class InviteMemberHandler implements ICommandHandler<InviteMember> {
  constructor(
    private readonly team: TeamRepository,
    private readonly organizations: Organizations,
    @Inject(MAILER) private readonly mailer: Mailer | null,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, wish }: InviteMember): Promise<Result<NewInvitation, TeamRefusal>> {
    const cause = requestCause(actorOf(principal));
    const invited = await this.team.invite(principal, cause, wish, this.clock.now());
    if (!invited.ok || this.mailer === null) return invited;
    // Before the answer: the token is stored nowhere, so nobody could send the mail later.
    const { invitation, token } = invited.value;
    const name = await this.organizations.nameOf(principal.organization);
    const mail = invitationMail({ invitation, token, organization: name, publicUrl: this.mailer.publicUrl });
    const error = await this.mailer.send(mail);
    await this.team.mailed(invitation, cause, error);
    return ok({ token, invitation: { ...invitation, mail: { error } } });
  }
}
