import { Injectable } from '@nestjs/common';
import { type Connection, ConnectionRepository } from '#features/connections';
import { connectionsOf } from '#features/connections/sync';
import { err, ok, type Principal, type Result } from '#platform/kernel';
import { CurrentViews } from '#read-side/views';

/** Whether a name may be the id of a connection; names of providers are none. */
export const isConnectionId = (name: string): boolean => /^[A-Za-z0-9]{22}$/.test(name);

/** Which connections are meant. */
export interface ConnectionChoice {
  /** Null: any. */
  readonly provider: string | null;
  /** Those whose documents have at least one of these tags. Empty: any. */
  readonly tags: readonly string[];
}

/** The connections of an organization, as they are now. */
@Injectable()
export class Connections {
  constructor(
    private readonly repository: ConnectionRepository,
    private readonly views: CurrentViews,
  ) {}

  async find({ organization }: Principal, id: string): Promise<Result<Connection, 'connection_not_found'>> {
    const connection = isConnectionId(id) ? await this.repository.load({ organization, id }) : null;
    return connection?.status === 'live' ? ok(connection) : err('connection_not_found');
  }

  /** The newest first. */
  async list({ organization }: Principal, { provider, tags }: ConnectionChoice): Promise<readonly Connection[]> {
    const views = await this.views.read();
    const found: Connection[] = [];
    for (const id of await connectionsOf(views, organization)) {
      const connection = await this.repository.load({ organization, id });
      if (connection?.status !== 'live' || (provider !== null && connection.provider !== provider)) continue;
      if (tags.length === 0 || tags.some((tag) => connection.tags.includes(tag))) found.push(connection);
    }
    return found;
  }
}
