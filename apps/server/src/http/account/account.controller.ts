import { Controller, Get } from '@nestjs/common';
import { Organizations } from '#features/access';
import type { Caller } from '#platform/kernel';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { Account, account, Memberships, membership } from './account.responses.ts';

/** What clients ask about the owner of their key, to name the account that they use. */
@Controller('v3')
@InSection('Server')
export class AccountController {
  constructor(private readonly organizations: Organizations) {}

  @Get('me')
  @Requires('read')
  @Documented({
    id: 'getAccount',
    summary: 'Read the owner of the key',
    description: 'The owner of the key and the organization.',
    answer: Account,
    refuses: [],
  })
  async me(@CurrentCaller() caller: Caller) {
    return account(caller, await this.organizations.nameOf(caller.organization));
  }

  @Get('account/memberships')
  @Requires('read')
  @Documented({
    id: 'getMemberships',
    summary: 'Read the organizations of the key',
    description: 'In this version the one organization of the server.',
    answer: Memberships,
    refuses: [],
  })
  async memberships(@CurrentCaller() caller: Caller) {
    return { memberships: [membership(caller, await this.organizations.nameOf(caller.organization))] };
  }

  @Get('auth/account/memberships')
  @Requires('read')
  @Documented({
    id: 'getAuthMemberships',
    summary: 'Read the organizations of the key, by another path',
    description: 'As `GET /v3/account/memberships`.',
    answer: Memberships,
    refuses: [],
  })
  authMemberships(@CurrentCaller() caller: Caller) {
    return this.memberships(caller);
  }
}
