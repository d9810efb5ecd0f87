import { Query } from '@nestjs/cqrs';
import type { Connection } from '#features/connections';
import type { Principal, Result } from '#platform/kernel';

/** Reads a connection by its id, with its syncs: the running one, and the last 50 that have ended. */
export class GetConnection extends Query<Result<Connection, 'connection_not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
