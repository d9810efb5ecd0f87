import { Body, Controller, Delete, Get, HttpCode, Param, Patch } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ChangeMemberInput, changeMember, ListMembers, RemoveMember } from '#features/team/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { MemberList, MemberRecord, memberList, memberRecord } from './team.responses.ts';

const PATH = { id: { description: 'Id of the member, as the list returns it.' } };

@Controller('v3/team/members')
@InSection('Team')
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Requires('full')
  @Documented({
    id: 'listMembers',
    summary: 'List the members of the organization',
    description: 'With their roles and tags.',
    answer: MemberList,
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal) {
    return this.queries.execute(new ListMembers(principal)).then(memberList);
  }

  @Patch(':id')
  @Requires('admin')
  @Documented({
    id: 'updateMember',
    summary: 'Change role or tags of a member',
    description:
      'The keys of the member permit the same at once. The last owner keeps the role: that is a conflict, and nobody changes a member above the own role.',
    path: PATH,
    answer: MemberRecord,
    refuses: [404, 409],
  })
  change(@CurrentPrincipal() principal: Principal, @Param('id') id: string, @Body() body: ChangeMemberInput) {
    return this.commands
      .execute(changeMember(principal, id, body))
      .then((changed) => memberRecord(valueOrThrow(changed)));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('admin')
  @Documented({
    id: 'removeMember',
    summary: 'Remove a member',
    description:
      'The keys of the member are refused at once; name and address are erased. The last owner cannot be removed: that is a conflict.',
    path: PATH,
    answer: null,
    refuses: [404, 409],
  })
  async remove(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    valueOrThrow(await this.commands.execute(new RemoveMember(principal, id)));
  }
}
