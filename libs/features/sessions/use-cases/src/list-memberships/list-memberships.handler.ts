import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys } from '#features/access';
import { KnownSessions } from '#features/sessions';
import { Team } from '#features/team';
import { accountOf } from '../account-of.ts';
import { ListMemberships, type Membership } from './list-memberships.query.ts';

@QueryHandler(ListMemberships)
export class ListMembershipsHandler implements IQueryHandler<ListMemberships> {
  constructor(
    readonly team: Team,
    readonly known: KnownSessions,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
  ) {}

  async execute({ principal }: ListMemberships): Promise<readonly Membership[]> {
    const identity = accountOf(principal, this);
    if (identity === null) return [principal];
    const isThere = ({ organization }: Membership) => this.keys.organizations.stateOf(organization) === 'active';
    return this.team.identifiedBy(identity).filter(isThere);
  }
}
