import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys, principalOfMember } from '#features/access';
import { SessionRepository } from '#features/sessions';
import { openInvitation, Team, type TeamRefusal, TeamRepository } from '#features/team';
import { CLOCK, type Clock, err, memberActor, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { AcceptWithSession, type SignedInMember } from './accept-with-session.command.ts';

@CommandHandler(AcceptWithSession)
export class AcceptWithSessionHandler implements ICommandHandler<AcceptWithSession> {
  constructor(
    private readonly team: Team,
    private readonly repository: TeamRepository,
    private readonly sessions: SessionRepository,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ token, name }: AcceptWithSession): Promise<Result<SignedInMember, TeamRefusal>> {
    const { team, keys } = this;
    const invitation = openInvitation(token, { team, organizations: keys.organizations });
    if (invitation === null) return err('invitation_not_found');
    const { id, organization } = invitation;
    const cause = requestCause(memberActor(id));
    const joined = await this.repository.join(invitation, cause, { name, identity: null });
    if (!joined.ok) return joined;
    const principal = principalOfMember(organization, id, joined.value);
    const wish = { way: 'invitation', principal, signedInAt: this.clock.now() } as const;
    return ok({ member: joined.value, opened: await this.sessions.start(wish, cause) });
  }
}
