import { Query } from '@nestjs/cqrs';
import type { Connection } from '#features/connections';
import type { Principal } from '#platform/kernel';
import type { ConnectionChoice } from '../connections.ts';

/** Lists the connections of the organization, the newest first. */
export class ListConnections extends Query<readonly Connection[]> {
  constructor(
    readonly principal: Principal,
    readonly choice: ConnectionChoice,
  ) {
    super();
  }
}
