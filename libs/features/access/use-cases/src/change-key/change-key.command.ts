import { Command } from '@nestjs/cqrs';
import type { IssuedKey, KeyRefusal } from '#features/access';
import type { Principal, Result } from '#platform/kernel';

/** Renames a key, or lets it be refused until it is enabled again. */
export class ChangeKey extends Command<Result<IssuedKey, KeyRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
    readonly changes: { readonly name?: string; readonly isEnabled?: boolean },
  ) {
    super();
  }
}
