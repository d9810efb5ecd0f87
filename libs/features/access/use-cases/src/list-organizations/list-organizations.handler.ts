import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { API_KEYS, type IssuedKeys, type Organization } from '#features/access';
import { ListOrganizations } from './list-organizations.query.ts';

@QueryHandler(ListOrganizations)
export class ListOrganizationsHandler implements IQueryHandler<ListOrganizations> {
  constructor(@Inject(API_KEYS) private readonly keys: IssuedKeys) {}

  async execute(): Promise<readonly Organization[]> {
    return this.keys.organizations.all();
  }
}
