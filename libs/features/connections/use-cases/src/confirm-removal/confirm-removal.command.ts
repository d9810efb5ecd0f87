import { Command } from '@nestjs/cqrs';
import type { Connection } from '#features/connections';
import type { Principal, Result } from '#platform/kernel';

export type ConfirmRefusal = 'connection_not_found' | 'nothing_to_confirm';

/** Permits the next sync, which begins at once, to remove what is gone at the source although it is much. */
export class ConfirmRemoval extends Command<Result<Connection, ConfirmRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
