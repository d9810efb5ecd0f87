import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';

/** `no_session`: the request was made with a key. */
export type SessionRefusal = 'no_session';

/** Ends the session of the request: its cookie is refused. */
export class EndSession extends Command<Result<void, SessionRefusal>> {
  constructor(readonly principal: Principal) {
    super();
  }
}
