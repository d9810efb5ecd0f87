import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Connection } from '#features/connections';
import type { Result } from '#platform/kernel';
import { Connections } from '../connections.ts';
import { GetConnection } from './get-connection.query.ts';

@QueryHandler(GetConnection)
export class GetConnectionHandler implements IQueryHandler<GetConnection> {
  constructor(private readonly connections: Connections) {}

  execute({ principal, id }: GetConnection): Promise<Result<Connection, 'connection_not_found'>> {
    return this.connections.find(principal, id);
  }
}
