import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys, principalOfMember } from '#features/access';
import { KnownSessions, type OpenedSession, SessionRepository } from '#features/sessions';
import { Team } from '#features/team';
import { actorOf, err, memberActor, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { accountOf } from '../account-of.ts';
import { SwitchOrganization, type SwitchRefusal } from './switch-organization.command.ts';

@CommandHandler(SwitchOrganization)
export class SwitchOrganizationHandler implements ICommandHandler<SwitchOrganization> {
  constructor(
    readonly team: Team,
    readonly known: KnownSessions,
    private readonly sessions: SessionRepository,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
  ) {}

  async execute({ principal, organization }: SwitchOrganization): Promise<Result<OpenedSession, SwitchRefusal>> {
    const state = this.known.stateOf(principal.session ?? '');
    if (state.status !== 'open') return err('no_session');
    const { session } = state;
    const identity = accountOf(principal, this);
    if (identity === null) return err('account_required');
    const target = this.team.identifiedBy(identity).find((member) => member.organization === organization);
    const is = target === undefined ? 'gone' : this.keys.organizations.stateOf(target.organization);
    if (target === undefined || is === 'gone') return err('organization_not_found');
    if (is === 'suspended') return err('organization_suspended');
    const wish = {
      ...({ way: 'oidc', signedInAt: session.signedInAt } as const),
      principal: principalOfMember(target.organization, target.id, target),
    };
    const opened = await this.sessions.start(wish, requestCause(memberActor(target.id)));
    await this.sessions.end(session, requestCause(actorOf(principal)));
    return ok(opened);
  }
}
