import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ConnectionRepository } from '#features/connections';
import { actorOf, err, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { Connections } from '../connections.ts';
import type { DeletedConnection } from '../delete-connection/delete-connection.command.ts';
import { Providers } from '../providers.ts';
import { DeleteConnections } from './delete-connections.command.ts';

@CommandHandler(DeleteConnections)
export class DeleteConnectionsHandler implements ICommandHandler<DeleteConnections> {
  constructor(
    private readonly connections: Connections,
    private readonly repository: ConnectionRepository,
    private readonly providers: Providers,
  ) {}

  async execute({
    principal,
    choice,
  }: DeleteConnections): Promise<Result<readonly DeletedConnection[], 'connection_not_found'>> {
    if (choice.provider !== null) this.providers.assertKnown(choice.provider);
    const cause = requestCause(actorOf(principal));
    const deleted: DeletedConnection[] = [];
    for (const connection of await this.connections.list(principal, choice)) {
      const { id, provider } = connection;
      if ((await this.repository.delete(connection, cause, true)).ok) deleted.push({ id, provider });
    }
    return deleted.length === 0 ? err('connection_not_found') : ok(deleted);
  }
}
