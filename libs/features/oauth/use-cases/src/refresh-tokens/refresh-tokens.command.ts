import { Command } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';
import type { GrantedTokens, GrantRefusal } from '../redeem-code/redeem-code.command.ts';

/** Exchanges a refresh token for other tokens. The token names the key, and no other credential comes with it. */
export class RefreshTokens extends Command<Result<GrantedTokens, GrantRefusal>> {
  constructor(
    readonly token: string,
    readonly clientId: string,
  ) {
    super();
  }
}
