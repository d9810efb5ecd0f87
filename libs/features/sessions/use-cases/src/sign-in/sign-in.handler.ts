import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys, principalOfMember } from '#features/access';
import { type OpenedSession, SessionRepository, SIGN_IN_DOMAINS, type SignInDomains } from '#features/sessions';
import { type Member, Team, type TeamRefusal, TeamRepository } from '#features/team';
import { CLOCK, type Clock, err, memberActor, newId, type OrganizationId, ok, type Result } from '#platform/kernel';
import type { Account } from '#platform/oidc';
import { requestCause } from '#ports/event-store';
import { SignIn, type SignInRefusal } from './sign-in.command.ts';

@CommandHandler(SignIn)
export class SignInHandler implements ICommandHandler<SignIn> {
  constructor(
    private readonly team: Team,
    private readonly repository: TeamRepository,
    private readonly sessions: SessionRepository,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    @Inject(SIGN_IN_DOMAINS) private readonly domains: SignInDomains,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ account }: SignIn): Promise<Result<OpenedSession, SignInRefusal>> {
    const { email } = account;
    const joined = email === null ? [] : await this.#joined(account, email);
    // What somebody has just been invited to comes first.
    const memberships = [...joined, ...this.team.identifiedBy(account)].filter((member) => this.#is(member) !== 'gone');
    const member = memberships.find((one) => this.#is(one) === 'active');
    if (member === undefined) return err(this.#refusal(account, memberships));
    const principal = principalOfMember(member.organization, member.id, member);
    const wish = { way: 'oidc', principal, signedInAt: this.clock.now() } as const;
    return ok(await this.sessions.start(wish, requestCause(memberActor(member.id))));
  }

  /** Makes the person a member wherever the address is invited, and is a member's without an account. */
  async #joined(account: Account, email: string): Promise<readonly Member[]> {
    const { name } = account;
    const identity = { issuer: account.issuer, subject: account.subject };
    const joining: Promise<Result<Member, TeamRefusal>>[] = [];
    const isOutside = (organization: OrganizationId) =>
      this.keys.organizations.stateOf(organization) === 'active' &&
      !this.team.identifiedBy(identity).some((member) => member.organization === organization);

    for (const member of this.team.membersAt(email)) {
      if (member.identity !== null || !isOutside(member.organization)) continue;
      joining.push(this.repository.identify(member, requestCause(memberActor(member.id)), identity));
    }
    for (const invitation of this.team.invitationsAt(email)) {
      if (!isOutside(invitation.organization)) continue;
      const cause = requestCause(memberActor(invitation.id));
      joining.push(this.repository.join(invitation, cause, { name, identity }));
    }
    const results = await Promise.all(joining);
    const organization = this.domains.get(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
    if (organization !== undefined && isOutside(organization)) {
      const id = newId();
      const wish = { organization, email, name, identity };
      results.push(await this.repository.admit(id, requestCause(memberActor(id)), wish));
    }
    return results.flatMap((result) => (result.ok ? [result.value] : []));
  }

  #is({ organization }: Member): 'active' | 'suspended' | 'gone' {
    return this.keys.organizations.stateOf(organization);
  }

  #refusal({ email }: Account, memberships: readonly Member[]): SignInRefusal {
    if (memberships.length > 0) return 'organization_suspended';
    if (email === null) return 'email_unverified';
    return this.team.membersAt(email).some(({ identity }) => identity !== null) ? 'other_identity' : 'not_invited';
  }
}
