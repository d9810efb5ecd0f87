import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { SessionAccess } from '#features/sessions';
import { EndSession } from '#features/sessions/use-cases';
import { readCookie } from '../access/session-cookie.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';

/** The session that a browser has while it signs in again: its cookie is replaced, so nobody could end it later. */
@Injectable()
export class FormerSession {
  constructor(
    private readonly commands: CommandBus,
    private readonly access: SessionAccess,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  async end(request: FastifyRequest): Promise<void> {
    const cookie = readCookie(request, this.options, 'mneme_session');
    const signedIn = cookie === null ? null : this.access.authenticate(cookie);
    if (signedIn !== null) await this.commands.execute(new EndSession(signedIn.principal));
  }
}
