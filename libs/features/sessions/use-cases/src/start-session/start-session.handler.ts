import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type OpenedSession, SessionRepository } from '#features/sessions';
import { actorOf, CLOCK, type Clock, err, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { StartSession, type StartSessionRefusal } from './start-session.command.ts';

@CommandHandler(StartSession)
export class StartSessionHandler implements ICommandHandler<StartSession> {
  constructor(
    private readonly sessions: SessionRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal }: StartSession): Promise<Result<OpenedSession, StartSessionRefusal>> {
    if (principal.session !== undefined) return err('key_required');
    const wish = { way: 'key', principal, signedInAt: this.clock.now() } as const;
    return ok(await this.sessions.start(wish, requestCause(actorOf(principal))));
  }
}
