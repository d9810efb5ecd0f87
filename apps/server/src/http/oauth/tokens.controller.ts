import { Body, Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { AUTHORIZATION_SERVER, type AuthorizationServer } from '#features/oauth';
import { RegisterClientInput, RevokeToken, registerClient } from '#features/oauth/use-cases';
import { Public } from '../access/permission.ts';
import { tooMany } from '../errors/api-error.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { TakesForm } from '../transport/forms.ts';
import { ClientRegistration, clientRegistration, IssuedTokens, issuedTokens } from './oauth.responses.ts';
import { SpeaksOAuth } from './oauth-error.ts';
import { offered } from './offered.ts';
import { exchange, RevocationInput, TokenInput } from './token.input.ts';

const HOUR_S = 3_600;
/** Registrations of one address, and of all. Each costs nothing that stays, but a person could meet its name. */
const OF_ADDRESS = { requests: 10, seconds: HOUR_S };
const OF_ALL = { requests: 100, seconds: HOUR_S };

/** What applications ask by themselves. Errors have the form of OAuth. */
@Controller('oauth')
@InSection('Connections')
export class TokensController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer | null,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Post('token')
  @HttpCode(200)
  @Public()
  @SpeaksOAuth()
  @TakesForm()
  @Documented({
    id: 'exchangeToken',
    summary: 'Exchange a code or a refresh token for tokens',
    description:
      'A code can be exchanged once, within a minute, with the `code_verifier` of its challenge. A refresh token can be exchanged once, too: the answer has the next one. Using either a second time ends the access, except that a refresh token gets the same answer again within a minute.',
    answer: IssuedTokens,
    refuses: [404],
  })
  async exchange(@Body() body: TokenInput): Promise<IssuedTokens> {
    const command = exchange(body, offered(this.server));
    return issuedTokens(valueOrThrow(await this.commands.execute(command)));
  }

  @Post('revoke')
  @HttpCode(200)
  @Public()
  @SpeaksOAuth()
  @TakesForm()
  @Documented({
    id: 'revokeToken',
    summary: 'End the access of an application by one of its tokens',
    description: 'As if its key were revoked. A token that is not known is no error.',
    answer: null,
    status: 200,
    refuses: [404],
  })
  async revoke(@Body() { token }: RevocationInput): Promise<void> {
    offered(this.server);
    await this.commands.execute(new RevokeToken(token));
  }

  @Post('register')
  @HttpCode(201)
  @Public()
  @SpeaksOAuth()
  @Documented({
    id: 'registerClient',
    summary: 'Register an application',
    description:
      'For applications without metadata at an address. Nothing of it is kept: the id is what the application says of itself, sealed. An address may register 10 applications an hour, and all together 100.',
    answer: ClientRegistration,
    status: 201,
    refuses: [404],
  })
  async register(@Body() body: RegisterClientInput, @Req() request: FastifyRequest): Promise<ClientRegistration> {
    offered(this.server);
    const command = registerClient(body);
    for (const [key, limit] of [
      [`oauth-registrations-${request.ip}`, OF_ADDRESS],
      ['oauth-registrations', OF_ALL],
    ] as const) {
      const { isAllowed, resetMs } = await this.options.rateLimiter.consume(key, limit);
      if (!isAllowed) throw tooMany(resetMs);
    }
    return clientRegistration(await this.commands.execute(command));
  }
}
