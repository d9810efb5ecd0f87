import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ChangeKeyInput,
  changeKey,
  IssueKeyInput,
  IssueScopedKeyInput,
  issueKey,
  issueScopedKey,
  ListKeys,
  RevokeKey,
} from '#features/access/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import {
  CreatedKey,
  CreatedScopedKey,
  createdKey,
  createdScopedKey,
  KeyList,
  KeyRecord,
  KeyRevocation,
  keyList,
  keyRecord,
  revoked,
} from './keys.responses.ts';

const PATH = { id: { description: 'Id of the key, as its creation and the list return it.' } };

@Controller('v3/auth')
@InSection('Keys')
export class KeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('keys')
  @Requires('full')
  @Documented({
    id: 'listKeys',
    summary: 'List the keys of the organization',
    description: 'Without their secrets. Revoked keys are left out.',
    answer: KeyList,
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal) {
    return this.queries.execute(new ListKeys(principal)).then(keyList);
  }

  @Post('keys')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'createKey',
    summary: 'Create a key for all tags',
    description: 'The answer has the secret; it is shown this once.',
    answer: CreatedKey,
    links: { updateKey: { id: 'id' }, revokeKey: { id: 'id' } },
    refuses: [],
  })
  create(@CurrentPrincipal() principal: Principal, @Body() body: IssueKeyInput) {
    return this.commands.execute(issueKey(principal, body)).then((created) => createdKey(valueOrThrow(created)));
  }

  @Patch('keys/:id')
  @Requires('admin')
  @Documented({
    id: 'updateKey',
    summary: 'Rename, disable or enable a key',
    description: 'A disabled key is refused at once, until it is enabled again.',
    path: PATH,
    answer: KeyRecord,
    refuses: [404],
  })
  change(@CurrentPrincipal() principal: Principal, @Param('id') id: string, @Body() body: ChangeKeyInput) {
    return this.commands.execute(changeKey(principal, id, body)).then((changed) => keyRecord(valueOrThrow(changed)));
  }

  @Delete('keys/:id')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'revokeKey',
    summary: 'Revoke a key',
    description: 'The key is refused at once, for good.',
    path: PATH,
    answer: KeyRevocation,
    refuses: [404],
  })
  async revoke(@CurrentPrincipal() principal: Principal, @Param('id') id: string) {
    valueOrThrow(await this.commands.execute(new RevokeKey(principal, id)));
    return revoked();
  }

  @Post('scoped-key')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'createScopedKey',
    summary: 'Create a key for some tags',
    description:
      'The key reads and writes its tags and nothing else. Without a limit of its own it may make 500 requests a minute. The answer has the secret; it is shown this once.',
    answer: CreatedScopedKey,
    links: { updateKey: { id: 'id' }, revokeScopedKey: { id: 'id' } },
    refuses: [],
  })
  createScoped(@CurrentPrincipal() principal: Principal, @Body() body: IssueScopedKeyInput) {
    return this.commands
      .execute(issueScopedKey(principal, body))
      .then((created) => createdScopedKey(valueOrThrow(created), body.containerTag));
  }

  @Delete('scoped-key/:id')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'revokeScopedKey',
    summary: 'Revoke a key, by another path',
    description: 'As `DELETE /v3/auth/keys/{id}`.',
    path: PATH,
    answer: KeyRevocation,
    refuses: [404],
  })
  revokeScoped(@CurrentPrincipal() principal: Principal, @Param('id') id: string) {
    return this.revoke(principal, id);
  }
}
