import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys } from '#features/access';
import { KnownSessions } from '#features/sessions';
import { Team } from '#features/team';
import { ListMemberships, type Membership } from './list-memberships.query.ts';

@QueryHandler(ListMemberships)
export class ListMembershipsHandler implements IQueryHandler<ListMemberships> {
  constructor(
    private readonly team: Team,
    private readonly known: KnownSessions,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
  ) {}

  async execute({ principal }: ListMemberships): Promise<readonly Membership[]> {
    const state = this.known.stateOf(principal.session ?? '');
    const isOfAccount = state.status === 'open' && state.session.way === 'oidc';
    const identity = isOfAccount ? this.team.memberOf(principal)?.identity : null;
    if (!identity) return [principal];
    const isThere = ({ organization }: Membership) => this.keys.organizations.stateOf(organization) === 'active';
    return this.team.identifiedBy(identity).filter(isThere);
  }
}
