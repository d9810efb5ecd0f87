import { Query } from '@nestjs/cqrs';
import type { Member } from '#features/team';
import type { Principal } from '#platform/kernel';

/** Lists the members of the organization; the first joined first. */
export class ListMembers extends Query<readonly Member[]> {
  constructor(readonly principal: Principal) {
    super();
  }
}
