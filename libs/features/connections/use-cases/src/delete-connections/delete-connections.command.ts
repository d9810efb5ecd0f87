import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { ConnectionChoice } from '../connections.ts';
import type { DeletedConnection } from '../delete-connection/delete-connection.command.ts';

/** Ends connections, as `DeleteConnection` does, with their documents. */
export class DeleteConnections extends Command<Result<readonly DeletedConnection[], 'connection_not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly choice: ConnectionChoice,
  ) {
    super();
  }
}
