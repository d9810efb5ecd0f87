import { Command } from '@nestjs/cqrs';
import type { Connection } from '#features/connections';
import type { Principal, Result } from '#platform/kernel';

/** Has a connection synced now, the whole of its source. */
export class RequestSync extends Command<Result<Connection, 'connection_not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
