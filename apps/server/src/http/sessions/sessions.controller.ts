import { Body, Controller, Delete, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EndSession, StartSession, SwitchOrganizationInput, switchOrganization } from '#features/sessions/use-cases';
import type { Principal } from '#platform/kernel';
import { AlsoSuspended, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { setCookie } from '../access/session-cookie.ts';
import { requireOwnPage } from '../access/session-guard.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { BrowserSession } from './browser-session.ts';
import { StartedSession, startedSession } from './sessions.responses.ts';

const SETS = { 'set-cookie': 'The cookie of the session.' };

@Controller('v3/session')
@InSection('Sessions')
export class SessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly session: BrowserSession,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Post()
  @HttpCode(200)
  @Requires('read')
  @Documented({
    id: 'createSession',
    summary: 'Sign in with a key',
    description:
      'Exchanges the key of the request for a session of the browser: the answer sets its cookie. The session permits what the key permits, and ends with it. The header `Origin` must name the address of the server.',
    answer: StartedSession,
    headers: SETS,
    refuses: [],
  })
  async start(
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    requireOwnPage(request, this.options);
    const opened = valueOrThrow(await this.commands.execute(new StartSession(principal)));
    await this.session.begin(reply, opened);
    return startedSession(opened.session);
  }

  @Post('organization')
  @HttpCode(200)
  @Requires('read')
  @AlsoSuspended()
  @Documented({
    id: 'switchOrganization',
    summary: 'Go on in another organization',
    description:
      'For a session by OpenID Connect of a person who is a member of both organizations. Another session takes the place of the one of the request; it ends 30 days after the sign-in, too.',
    answer: StartedSession,
    headers: SETS,
    refuses: [404],
  })
  async switch(
    @CurrentPrincipal() principal: Principal,
    @Body() body: SwitchOrganizationInput,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { session, cookie } = valueOrThrow(await this.commands.execute(switchOrganization(principal, body)));
    setCookie(reply, this.options, 'mneme_session', cookie);
    return startedSession(session);
  }

  @Delete()
  @HttpCode(204)
  @Requires('read')
  @AlsoSuspended()
  @Documented({
    id: 'deleteSession',
    summary: 'Sign out',
    description: 'Ends the session of the request. Its cookie is refused at once, in other processes within a second.',
    answer: null,
    headers: { 'set-cookie': 'Takes the cookie from the browser.' },
    refuses: [404],
  })
  async end(@CurrentPrincipal() principal: Principal, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    valueOrThrow(await this.commands.execute(new EndSession(principal)));
    setCookie(reply, this.options, 'mneme_session', '');
  }
}
