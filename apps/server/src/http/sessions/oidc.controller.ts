import { Controller, Get, HttpCode, Inject, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignIn } from '#features/sessions/use-cases';
import { OIDC_PROVIDER, type OidcProvider } from '#platform/oidc';
import { Public } from '../access/permission.ts';
import { readCookie, setCookie } from '../access/session-cookie.ts';
import { ApiError } from '../errors/api-error.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { BrowserSession } from './browser-session.ts';
import { DepartureQuery } from './oidc.dto.ts';

@Controller('v3/session/oidc')
@InSection('Sessions')
export class OidcController {
  constructor(
    private readonly commands: CommandBus,
    private readonly session: BrowserSession,
    @Inject(OIDC_PROVIDER) private readonly provider: OidcProvider | null,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Get()
  @HttpCode(302)
  @Public()
  @Documented({
    id: 'startSignIn',
    summary: 'Sign in by OpenID Connect',
    description:
      'Sends the browser to the provider of the settings, which sends it back to `GET /v3/session/oidc/callback`. Without a provider it is a 404, and while the provider does not answer a 503.',
    status: 302,
    answer: null,
    headers: {
      location: 'Address of the provider.',
      'set-cookie': 'What the browser keeps until it comes back, for ten minutes.',
    },
    refuses: [404],
  })
  async depart(@Query() { returnTo = '/' }: DepartureQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    const { url, kept } = valueOrThrow(await this.offered().depart(returnTo));
    setCookie(reply, this.options, 'mneme_sign_in', kept);
    reply.header('location', url);
  }

  @Get('callback')
  @HttpCode(302)
  @Public()
  @Documented({
    id: 'finishSignIn',
    summary: 'Return from the provider',
    description:
      'Starts the session of the person with the account, sets its cookie and sends the browser to `returnTo`. An account that is unknown becomes a member where its verified address is invited, or its domain is in the settings; otherwise it is a 403 that says why.',
    status: 302,
    answer: null,
    headers: { location: 'The path `returnTo`.', 'set-cookie': 'The cookie of the session.' },
    refuses: [404],
  })
  async arrive(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const kept = readCookie(request, this.options, 'mneme_sign_in');
    const provider = this.offered();
    const { search } = new URL(request.url, 'http://localhost');
    // It counts once, whatever comes of it.
    setCookie(reply, this.options, 'mneme_sign_in', '');
    const { account, returnTo } = valueOrThrow(await provider.arrive(kept, search));
    await this.session.begin(reply, valueOrThrow(await this.commands.execute(new SignIn(account))));
    // After the address of the server, so that no path leads to another one.
    reply.header('location', `${this.options.publicUrl ?? ''}${returnTo}`);
  }

  private offered(): OidcProvider {
    if (this.provider !== null) return this.provider;
    throw new ApiError('not_found', 'Nobody signs in by OpenID Connect here: it is not in the settings of the server');
  }
}
