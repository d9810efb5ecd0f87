import { Command } from '@nestjs/cqrs';
import type { KeyRefusal } from '#features/access';
import type { Principal, Result } from '#platform/kernel';

/** Ends a key for good. */
export class RevokeKey extends Command<Result<void, KeyRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
