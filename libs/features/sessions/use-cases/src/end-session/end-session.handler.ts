import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SessionRepository } from '#features/sessions';
import { actorOf, err, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { EndSession, type SessionRefusal } from './end-session.command.ts';

@CommandHandler(EndSession)
export class EndSessionHandler implements ICommandHandler<EndSession> {
  constructor(private readonly sessions: SessionRepository) {}

  async execute({ principal }: EndSession): Promise<Result<void, SessionRefusal>> {
    const { session: id, organization } = principal;
    if (id === undefined) return err('no_session');
    await this.sessions.end({ id, organization }, requestCause(actorOf(principal)));
    return ok(undefined);
  }
}
