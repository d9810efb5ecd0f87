import { Query } from '@nestjs/cqrs';
import type { Invitation } from '#features/team';
import type { Principal } from '#platform/kernel';

/** Lists the pending invitations of the organization; the first made first. */
export class ListInvitations extends Query<readonly Invitation[]> {
  constructor(readonly principal: Principal) {
    super();
  }
}
