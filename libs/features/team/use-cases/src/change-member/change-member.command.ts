import { Command } from '@nestjs/cqrs';
import type { Member, MemberChanges, TeamRefusal } from '#features/team';
import type { Principal, Result } from '#platform/kernel';

/** Gives a member another role or other tags. */
export class ChangeMember extends Command<Result<Member, TeamRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
    readonly changes: MemberChanges,
  ) {
    super();
  }
}
