import { Query } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';

/** How many documents of each type there are, the most frequent type first. */
export class CountDocuments extends Query<readonly { readonly type: string; readonly count: number }[]> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names. Empty: all that the principal may read. */
    readonly tags: readonly string[],
  ) {
    super();
  }
}
