import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Organizations } from '#features/access';
import { ListMemberships } from '#features/sessions/use-cases';
import type { Principal } from '#platform/kernel';
import { type Membership, membership } from './account.responses.ts';

/** Reads the organizations of the person or the key that makes a request, with their names. */
@Injectable()
export class MembershipsOf {
  constructor(
    private readonly queries: QueryBus,
    private readonly organizations: Organizations,
  ) {}

  async read(principal: Principal): Promise<readonly Membership[]> {
    const found = await this.queries.execute(new ListMemberships(principal));
    return Promise.all(found.map(async (one) => membership(one, await this.organizations.nameOf(one.organization))));
  }
}
