import { Command } from '@nestjs/cqrs';
import type { IssuedKey, KeyRefusal, KeyWish } from '#features/access';
import type { Principal, Result } from '#platform/kernel';

/** The only answer with the secret. */
export interface NewKey {
  readonly secret: string;
  readonly key: IssuedKey;
}

/** Issues a key of the organization. */
export class IssueKey extends Command<Result<NewKey, KeyRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly wish: KeyWish,
  ) {
    super();
  }
}
