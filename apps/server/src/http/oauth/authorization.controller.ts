import { Body, Controller, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { AUTHORIZATION_SERVER, type AuthorizationServer } from '#features/oauth';
import {
  AnswerAuthorizationInput,
  AuthorizationInput,
  answerAuthorization,
  readAuthorization,
} from '#features/oauth/use-cases';
import type { Principal } from '#platform/kernel';
import { OIDC_PROVIDER, type OidcProvider } from '#platform/oidc';
import { Public, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { AUTHORIZE_POLICY, authorizePage } from './authorize-page.ts';
import { AnsweredAccess, AskedAccess } from './oauth.responses.ts';
import { offered } from './offered.ts';

/** The page on which a person permits an application to use the tools, and what the page asks. */
@Controller('oauth')
@InSection('Connections')
export class AuthorizationController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer | null,
    @Inject(OIDC_PROVIDER) private readonly provider: OidcProvider | null,
  ) {}

  @Get('authorize')
  @Public()
  @Documented({
    id: 'getAuthorizePage',
    summary: 'Read the page that asks a person about an application',
    description:
      'Where applications send the browser, with the parameters of `GET /oauth/request`. The page signs the person in, shows what the application asks for, and sends the browser back with the answer. No other page can frame it.',
    answer: {
      mediaType: 'text/html',
      description: 'The page.',
      headers: {
        'content-security-policy': 'Lets the page send to this server only, and no page frame it.',
        'x-frame-options': 'No page can frame it.',
        'referrer-policy': 'No other server learns the address of the page.',
      },
    },
    refuses: [404],
  })
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    offered(this.server);
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': AUTHORIZE_POLICY,
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    return authorizePage(this.provider !== null);
  }

  @Get('request')
  @Requires('read')
  @Documented({
    id: 'getAccessRequest',
    summary: 'Check what an application asks for',
    description:
      'For the page, by the session of the person. A request of an unknown application, with an address that is not one of its own, without PKCE, or for another server than the tool server of this one is refused here; the browser is not sent back with it.',
    answer: AskedAccess,
    refuses: [404],
  })
  async read(@CurrentPrincipal() principal: Principal, @Query() asked: AuthorizationInput): Promise<AskedAccess> {
    offered(this.server);
    return valueOrThrow(await this.queries.execute(readAuthorization(principal, asked)));
  }

  @Post('consent')
  @HttpCode(200)
  @Requires('read')
  @Documented({
    id: 'answerAccessRequest',
    summary: 'Permit or refuse what an application asks for',
    description:
      'By the session to which it was shown; the header `Origin` must name the address of the server. The application gets a key that is in the list of keys, reaches `/mcp` alone, never permits more than the person may, and ends with the membership, or with the key by which the person has signed in.',
    answer: AnsweredAccess,
    refuses: [404],
  })
  async answer(
    @CurrentPrincipal() principal: Principal,
    @Body() body: AnswerAuthorizationInput,
  ): Promise<AnsweredAccess> {
    offered(this.server);
    return { location: valueOrThrow(await this.commands.execute(answerAuthorization(principal, body))) };
  }
}
