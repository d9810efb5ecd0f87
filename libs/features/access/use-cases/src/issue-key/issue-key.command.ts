import { Command } from '@nestjs/cqrs';
import type { IssuedKey, KeyLimits, KeyRefusal } from '#features/access';
import type { Principal, Result, Role } from '#platform/kernel';

/** The only answer with the secret. */
export interface NewKey {
  readonly secret: string;
  readonly key: IssuedKey;
}

/** What a new key is and may do. */
export interface KeyWish {
  readonly name: string;
  readonly role: Role;
  readonly limits: Omit<KeyLimits, 'expiresAt'>;
  /** Null: never. */
  readonly expiresInDays: number | null;
}

export class IssueKey extends Command<Result<NewKey, KeyRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly wish: KeyWish,
  ) {
    super();
  }
}
