import { Command } from '@nestjs/cqrs';
import type { TeamRefusal } from '#features/team';
import type { Principal, Result } from '#platform/kernel';

/** Ends an invitation: its token is refused, the address is erased. */
export class WithdrawInvitation extends Command<Result<void, TeamRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
