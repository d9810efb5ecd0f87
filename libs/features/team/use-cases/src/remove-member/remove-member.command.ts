import { Command } from '@nestjs/cqrs';
import type { TeamRefusal } from '#features/team';
import type { Principal, Result } from '#platform/kernel';

/** Ends a membership: the keys of the member are refused, name and address are erased. */
export class RemoveMember extends Command<Result<void, TeamRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
