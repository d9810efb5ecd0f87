import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Connection, ConnectionRepository } from '#features/connections';
import { actorOf, err, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { Connections } from '../connections.ts';
import { Providers } from '../providers.ts';
import { RequestSync } from './request-sync.command.ts';

@CommandHandler(RequestSync)
export class RequestSyncHandler implements ICommandHandler<RequestSync> {
  constructor(
    private readonly connections: Connections,
    private readonly repository: ConnectionRepository,
    private readonly providers: Providers,
  ) {}

  async execute({ principal, id }: RequestSync): Promise<Result<Connection, 'connection_not_found'>> {
    const found = await this.connections.find(principal, id);
    if (!found.ok) return found;
    this.providers.usable(found.value.provider);
    const requested = await this.repository.request(found.value, requestCause(actorOf(principal)), 'manual');
    return requested.ok ? requested : err('connection_not_found');
  }
}
