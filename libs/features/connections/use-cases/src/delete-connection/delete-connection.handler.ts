import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ConnectionRepository } from '#features/connections';
import { actorOf, err, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { Connections } from '../connections.ts';
import { DeleteConnection, type DeletedConnection } from './delete-connection.command.ts';

@CommandHandler(DeleteConnection)
export class DeleteConnectionHandler implements ICommandHandler<DeleteConnection> {
  constructor(
    private readonly connections: Connections,
    private readonly repository: ConnectionRepository,
  ) {}

  async execute({
    principal,
    id,
    deleteDocuments,
  }: DeleteConnection): Promise<Result<DeletedConnection, 'connection_not_found'>> {
    const found = await this.connections.find(principal, id);
    if (!found.ok) return found;
    const deleted = await this.repository.delete(found.value, requestCause(actorOf(principal)), deleteDocuments);
    return deleted.ok ? ok({ id, provider: found.value.provider }) : err('connection_not_found');
  }
}
