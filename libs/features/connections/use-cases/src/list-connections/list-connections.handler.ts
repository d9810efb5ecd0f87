import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Connection } from '#features/connections';
import { Connections } from '../connections.ts';
import { Providers } from '../providers.ts';
import { ListConnections } from './list-connections.query.ts';

@QueryHandler(ListConnections)
export class ListConnectionsHandler implements IQueryHandler<ListConnections> {
  constructor(
    private readonly connections: Connections,
    private readonly providers: Providers,
  ) {}

  async execute({ principal, choice }: ListConnections): Promise<readonly Connection[]> {
    if (choice.provider !== null) this.providers.assertKnown(choice.provider);
    return this.connections.list(principal, choice);
  }
}
