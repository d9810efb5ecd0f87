import { Command } from '@nestjs/cqrs';
import type { OpenedSession } from '#features/sessions';
import type { Principal, Result } from '#platform/kernel';
import type { SessionRefusal } from '../end-session/end-session.command.ts';

export type SwitchRefusal =
  | SessionRefusal
  /** Nothing says who the person is in other organizations. */
  | 'account_required'
  /** The person is no member of it, or it does not exist. */
  | 'organization_not_found'
  | 'organization_suspended';

/** Goes on in another organization of the same person, in a new session in place of the one of the request. */
export class SwitchOrganization extends Command<Result<OpenedSession, SwitchRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly organization: string,
  ) {
    super();
  }
}
