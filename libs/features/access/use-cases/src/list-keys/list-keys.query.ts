import { Query } from '@nestjs/cqrs';
import type { IssuedKey } from '#features/access';
import type { Principal } from '#platform/kernel';

export interface ListedKey extends IssuedKey {
  /** Beginning of the minute of its last use: milliseconds since the Unix epoch. Null: it was not used, or it is not known. */
  readonly lastUsedAt: number | null;
}

/** Lists the keys of the organization that are not revoked; the first issued first. */
export class ListKeys extends Query<readonly ListedKey[]> {
  constructor(readonly principal: Principal) {
    super();
  }
}
