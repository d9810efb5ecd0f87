import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { type OpenedSession, SessionAccess } from '#features/sessions';
import { EndSession } from '#features/sessions/use-cases';
import { readCookie, setCookie } from '../access/session-cookie.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';

/** The session of a browser that signs in. */
@Injectable()
export class BrowserSession {
  constructor(
    private readonly commands: CommandBus,
    private readonly access: SessionAccess,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  /** Gives the browser its cookie. A session that it has had until now ends, because nobody could end it later. */
  async begin(reply: FastifyReply, { cookie }: OpenedSession): Promise<void> {
    const former = readCookie(reply.request, this.options, 'mneme_session');
    const signedIn = former === null ? null : this.access.authenticate(former);
    if (signedIn !== null) await this.commands.execute(new EndSession(signedIn.principal));
    setCookie(reply, this.options, 'mneme_session', cookie);
  }
}
