import { Command } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';

/** What an application gets. */
export interface GrantedTokens {
  readonly access: string;
  /** Seconds until the access token is refused. */
  readonly expiresIn: number;
  readonly refresh: string;
  readonly scope: string;
}

/** `grant_invalid`: code or refresh token is of another client, is too old, was used before or was revoked. */
export type GrantRefusal = 'grant_invalid';

/** What an application presents: the code says what was agreed and with whom, and no key comes with it. */
export interface PresentedCode {
  readonly code: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Exchanges a code for the tokens of a new key. A code counts once; a second time ends what it has led to. */
export class RedeemCode extends Command<Result<GrantedTokens, GrantRefusal>> {
  constructor(readonly presented: PresentedCode) {
    super();
  }
}
