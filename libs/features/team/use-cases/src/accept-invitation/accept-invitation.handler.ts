import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys, KeyRepository, newKey } from '#features/access';
import { openInvitation, Team, type TeamRefusal, TeamRepository } from '#features/team';
import { CLOCK, type Clock, err, ok, type Principal, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { AcceptInvitation, type NewMember } from './accept-invitation.command.ts';

@CommandHandler(AcceptInvitation)
export class AcceptInvitationHandler implements ICommandHandler<AcceptInvitation> {
  constructor(
    private readonly team: Team,
    private readonly repository: TeamRepository,
    private readonly keys: KeyRepository,
    @Inject(API_KEYS) private readonly known: ApiKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ token, name }: AcceptInvitation): Promise<Result<NewMember, TeamRefusal>> {
    const { team, known } = this;
    const invitation = openInvitation(token, { team, organizations: known.organizations });
    if (invitation === null) return err('invitation_not_found');
    const { id, organization, role } = invitation;
    const wish = { name: 'Key of a member', role, limits: {}, expiresInDays: null };
    const { secret, payload } = newKey(organization, wish, this.clock.now());
    const cause = requestCause(`key:${payload.id}`);
    const by: Principal = { organization, keyId: payload.id, role, tags: 'all', writableTags: 'all' };
    // The key first: it permits nothing before the person is a member, and a member without a key could not come in.
    await this.keys.issue(by, cause, { ...payload, member: id });
    const joined = await this.repository.join(invitation, cause, { name, identity: null });
    if (joined.ok) return ok({ member: joined.value, secret });
    await this.keys.revoke(by, cause, payload.id);
    return joined;
  }
}
