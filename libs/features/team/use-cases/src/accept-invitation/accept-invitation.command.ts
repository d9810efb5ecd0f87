import { Command } from '@nestjs/cqrs';
import type { Member, TeamRefusal } from '#features/team';
import type { Result } from '#platform/kernel';

/** A new member, and the only answer with the secret of the key. */
export interface NewMember {
  readonly member: Member;
  readonly secret: string;
}

/** Who has the token of an invitation becomes a member and gets a key. */
export class AcceptInvitation extends Command<Result<NewMember, TeamRefusal>> {
  constructor(
    readonly token: string,
    readonly name: string | null,
  ) {
    super();
  }
}
