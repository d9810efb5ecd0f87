import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ChangeOrganizationInput,
  CreateOrganizationInput,
  changeOrganization,
  DeleteOrganization,
  ListOrganizations,
  newOrganization,
} from '#features/access/use-cases';
import { KnownQuotas } from '#features/quotas';
import { Requires } from '../access/permission.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import {
  CreatedOrganization,
  createdOrganization,
  OrganizationList,
  OrganizationRecord,
  organizationList,
  organizationRecord,
} from './organizations.responses.ts';

const PATH = { id: { description: 'Id of the organization, as its creation and the list return it.' } };

@Controller('v3/organizations')
@InSection('Organizations')
export class OrganizationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly quotas: KnownQuotas,
  ) {}

  @Get()
  @Requires('installation')
  @Documented({
    id: 'listOrganizations',
    summary: 'List the organizations',
    description: 'The first founded first. One whose deletion was requested is in the list until everything is erased.',
    answer: OrganizationList,
    refuses: [],
  })
  list() {
    return this.queries.execute(new ListOrganizations()).then((all) => organizationList(all, this.quotas));
  }

  @Post()
  @HttpCode(200)
  @Requires('installation')
  @Documented({
    id: 'createOrganization',
    summary: 'Create an organization',
    description: 'The answer has the first owner key of the organization; it is shown this once.',
    answer: CreatedOrganization,
    links: { updateOrganization: { id: 'id' }, deleteOrganization: { id: 'id' } },
    refuses: [],
  })
  create(@Body() body: CreateOrganizationInput) {
    return this.commands.execute(newOrganization(body)).then((created) => createdOrganization(created, this.quotas));
  }

  @Patch(':id')
  @Requires('installation')
  @Documented({
    id: 'updateOrganization',
    summary: 'Rename, suspend or limit an organization',
    description:
      'The keys of a suspended organization are refused with 403 at once, and accepted again when it is resumed. Quotas count at once.',
    path: PATH,
    answer: OrganizationRecord,
    refuses: [404, 409],
  })
  change(@Param('id') id: string, @Body() body: ChangeOrganizationInput) {
    return this.commands
      .execute(changeOrganization(id, body))
      .then((changed) => organizationRecord(valueOrThrow(changed), this.quotas));
  }

  @Delete(':id')
  @HttpCode(202)
  @Requires('installation')
  @Documented({
    id: 'deleteOrganization',
    summary: 'Delete an organization',
    description:
      'Its keys are refused with 401 at once. Everything that it has is erased in the background, also after a restart; ' +
      'then it is no longer in the list.',
    path: PATH,
    status: 202,
    answer: OrganizationRecord,
    refuses: [404, 409],
  })
  async remove(@Param('id') id: string) {
    return organizationRecord(valueOrThrow(await this.commands.execute(new DeleteOrganization(id))), this.quotas);
  }
}
