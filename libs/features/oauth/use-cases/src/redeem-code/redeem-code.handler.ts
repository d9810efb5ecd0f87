import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KeyRepository } from '#features/access';
import {
  type AgreedAuthorization,
  AUTHORIZATION_SERVER,
  type AuthorizationServer,
  isVerifierOf,
  newTokens,
} from '#features/oauth';
import { CLOCK, type Clock, err, ok, type Result, randomSecret } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { granted } from '../granted.ts';
import { type GrantedTokens, type GrantRefusal, type PresentedCode, RedeemCode } from './redeem-code.command.ts';

@CommandHandler(RedeemCode)
export class RedeemCodeHandler implements ICommandHandler<RedeemCode> {
  constructor(
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer,
    private readonly keys: KeyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ presented }: RedeemCode): Promise<Result<GrantedTokens, GrantRefusal>> {
    const agreed = (await this.server.seals.open<AgreedAuthorization>('code', presented.code))?.content;
    const now = this.clock.now();
    if (agreed === undefined || now >= agreed.until || !(await this.isTheirs(agreed, presented))) {
      return err('grant_invalid');
    }
    const { organization, id, role, limits, client, member, parent, actor } = agreed;
    const tokens = newTokens(agreed, randomSecret, now);
    const { hash, start, ...until } = tokens.stored;
    const key = await this.keys.grant(organization, requestCause(actor), {
      ...{ id, role, name: client.name, hash, start, limits, grant: { client, ...until } },
      ...{ ...(member !== undefined && { member }), ...(parent !== undefined && { parent }) },
    });
    return key === null ? err('grant_invalid') : ok(await granted(this.server, key, tokens, now));
  }

  private async isTheirs(
    { client, redirectUri, challenge }: AgreedAuthorization,
    { clientId, redirectUri: presented, verifier }: PresentedCode,
  ): Promise<boolean> {
    if (redirectUri !== presented || !isVerifierOf(challenge, verifier)) return false;
    return (await this.server.idOf(clientId)) === client.id;
  }
}
