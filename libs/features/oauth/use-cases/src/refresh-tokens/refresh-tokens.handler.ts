import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys, KeyRepository } from '#features/access';
import { AUTHORIZATION_SERVER, type AuthorizationServer, newTokens, type RefreshContent } from '#features/oauth';
import { CLOCK, type Clock, err, hashSecret, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { granted } from '../granted.ts';
import type { GrantedTokens, GrantRefusal } from '../redeem-code/redeem-code.command.ts';
import { RefreshTokens } from './refresh-tokens.command.ts';

@CommandHandler(RefreshTokens)
export class RefreshTokensHandler implements ICommandHandler<RefreshTokens> {
  constructor(
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer,
    private readonly repository: KeyRepository,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ token, clientId }: RefreshTokens): Promise<Result<GrantedTokens, GrantRefusal>> {
    const opened = await this.server.seals.open<RefreshContent>('refresh', token);
    if (opened === null || (await this.server.idOf(clientId)) !== opened.content.client) return err('grant_invalid');
    const { id, secret } = opened.content;
    const now = this.clock.now();
    // The same tokens each time, so that a lost answer can be asked for again.
    const tokens = newTokens(opened.content, opened.derive, now);
    const renewal = { presentedHash: hashSecret(secret), next: tokens.stored };
    const key = await this.repository.renew(opened.content, requestCause(`key:${id}`), renewal);
    // Whoever has agreed may be no member any more.
    if (key === null || this.keys.principalOf(id) === null) return err('grant_invalid');
    return ok(await granted(this.server, key, tokens, now));
  }
}
