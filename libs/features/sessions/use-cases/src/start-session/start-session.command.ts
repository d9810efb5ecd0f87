import { Command } from '@nestjs/cqrs';
import type { OpenedSession } from '#features/sessions';
import type { Principal, Result } from '#platform/kernel';

/** `key_required`: the request was not made with a key. */
export type StartSessionRefusal = 'key_required';

/** Exchanges a key for a session, which never permits more than the key and ends with it. */
export class StartSession extends Command<Result<OpenedSession, StartSessionRefusal>> {
  constructor(readonly principal: Principal) {
    super();
  }
}
