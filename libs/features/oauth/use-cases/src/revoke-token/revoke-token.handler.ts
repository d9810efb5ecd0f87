import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys, KeyRepository } from '#features/access';
import { AUTHORIZATION_SERVER, type AuthorizationServer, type RefreshContent } from '#features/oauth';
import type { OrganizationId } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { RevokeToken } from './revoke-token.command.ts';

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer,
    private readonly repository: KeyRepository,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
  ) {}

  async execute({ token }: RevokeToken): Promise<void> {
    const key = await this.keyOf(token);
    if (key !== null) await this.repository.endGrant(key, requestCause(`key:${key.id}`));
  }

  private async keyOf(token: string): Promise<{ readonly organization: OrganizationId; readonly id: string } | null> {
    const opened = await this.server.seals.open<RefreshContent>('refresh', token);
    if (opened !== null) return opened.content;
    const principal = this.keys.authenticate(token);
    if (principal?.audience === undefined) return null;
    return { organization: principal.organization, id: principal.keyId };
  }
}
