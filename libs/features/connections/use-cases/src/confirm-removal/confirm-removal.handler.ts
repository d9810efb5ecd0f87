import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Connection, ConnectionRepository } from '#features/connections';
import { actorOf, err, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { Connections } from '../connections.ts';
import { type ConfirmRefusal, ConfirmRemoval } from './confirm-removal.command.ts';

@CommandHandler(ConfirmRemoval)
export class ConfirmRemovalHandler implements ICommandHandler<ConfirmRemoval> {
  constructor(
    private readonly connections: Connections,
    private readonly repository: ConnectionRepository,
  ) {}

  async execute({ principal, id }: ConfirmRemoval): Promise<Result<Connection, ConfirmRefusal>> {
    const found = await this.connections.find(principal, id);
    if (!found.ok) return found;
    const confirmed = await this.repository.confirm(found.value, requestCause(actorOf(principal)));
    if (confirmed.ok) return confirmed;
    return err(confirmed.error === 'nothing_to_confirm' ? confirmed.error : 'connection_not_found');
  }
}
