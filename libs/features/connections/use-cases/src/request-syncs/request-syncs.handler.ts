import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ConnectionRepository } from '#features/connections';
import { actorOf, err, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { Connections } from '../connections.ts';
import { Providers } from '../providers.ts';
import { RequestSyncs } from './request-syncs.command.ts';

@CommandHandler(RequestSyncs)
export class RequestSyncsHandler implements ICommandHandler<RequestSyncs> {
  constructor(
    private readonly connections: Connections,
    private readonly repository: ConnectionRepository,
    private readonly providers: Providers,
  ) {}

  async execute({ principal, choice }: RequestSyncs): Promise<Result<number, 'no_connection'>> {
    this.providers.usable(choice.provider);
    const cause = requestCause(actorOf(principal));
    const connections = await this.connections.list(principal, choice);
    if (connections.length === 0) return err('no_connection');
    let requested = 0;
    for (const connection of connections) {
      if (!this.providers.isChosen(connection.provider, connection.setup)) continue;
      if ((await this.repository.request(connection, cause, 'manual')).ok) requested += 1;
    }
    return ok(requested);
  }
}
