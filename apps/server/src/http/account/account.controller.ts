import { Controller, Get } from '@nestjs/common';
import { Organizations } from '#features/access';
import { Team } from '#features/team';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { Account, account, Memberships } from './account.responses.ts';
import { MembershipsOf } from './memberships.ts';

/** What clients ask about the owner of their key, to name the account that they use. */
@Controller('v3')
@InSection('Server')
export class AccountController {
  constructor(
    private readonly organizations: Organizations,
    private readonly team: Team,
    private readonly ofCaller: MembershipsOf,
  ) {}

  @Get('me')
  @Requires('full')
  @Documented({
    id: 'getAccount',
    summary: 'Read the owner of the key',
    description: 'The owner of the key and the organization.',
    answer: Account,
    refuses: [],
  })
  async me(@CurrentPrincipal() principal: Principal) {
    const name = await this.organizations.nameOf(principal.organization);
    return account(principal, name, this.team.memberOf(principal));
  }

  @Get('account/memberships')
  @Requires('full')
  @Documented({
    id: 'getMemberships',
    summary: 'Read the organizations of the key or the session',
    description:
      'Of a session by OpenID Connect: the organizations to which the person can switch. Otherwise the one of the request.',
    answer: Memberships,
    refuses: [],
  })
  async memberships(@CurrentPrincipal() principal: Principal) {
    return { memberships: await this.ofCaller.read(principal) };
  }

  @Get('auth/account/memberships')
  @Requires('full')
  @Documented({
    id: 'getAuthMemberships',
    summary: 'Read the organizations of the key, by another path',
    description: 'As `GET /v3/account/memberships`.',
    answer: Memberships,
    refuses: [],
  })
  authMemberships(@CurrentPrincipal() principal: Principal) {
    return this.memberships(principal);
  }
}
