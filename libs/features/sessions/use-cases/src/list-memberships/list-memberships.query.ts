import { Query } from '@nestjs/cqrs';
import type { OrganizationId, Principal, Role } from '#platform/kernel';

/** What a person is in an organization. */
export interface Membership {
  readonly organization: OrganizationId;
  readonly role: Role;
}

/**
 * Lists the organizations to which the owner of the request can switch, the first joined first: those of the account with which
 * the person has signed in. Without such an account: the one of the request.
 */
export class ListMemberships extends Query<readonly Membership[]> {
  constructor(readonly principal: Principal) {
    super();
  }
}
