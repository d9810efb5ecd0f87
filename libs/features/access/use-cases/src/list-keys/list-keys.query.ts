import { Query } from '@nestjs/cqrs';
import type { IssuedKey } from '#features/access';
import type { Principal } from '#platform/kernel';

/** Lists the keys of the organization that are not revoked; the first issued first. */
export class ListKeys extends Query<readonly IssuedKey[]> {
  constructor(readonly principal: Principal) {
    super();
  }
}
