import { Command } from '@nestjs/cqrs';
import type { OpenedSession } from '#features/sessions';
import type { Member, TeamRefusal } from '#features/team';
import type { Result } from '#platform/kernel';

export interface SignedInMember {
  readonly member: Member;
  readonly opened: OpenedSession;
}

/** Who has the token of an invitation becomes a member and is signed in, without a key. */
export class AcceptWithSession extends Command<Result<SignedInMember, TeamRefusal>> {
  constructor(
    readonly token: string,
    readonly name: string | null,
  ) {
    super();
  }
}
