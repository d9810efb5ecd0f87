import { Injectable } from '@nestjs/common';
import { CONNECTIONS, type Connection, ConnectionRepository } from '#features/connections';
import { err, ok, type Principal, type Result, systemScope } from '#platform/kernel';
import { CurrentViews } from '#read-side/views';

/** More connections than this in one organization are not expected. */
const MOST = 10_000;

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
    const { rows } = await views.rows({
      ...{ model: CONNECTIONS, scope: systemScope(organization), equals: {} },
      ...{ sort: 'created_at', order: 'desc', offset: 0, limit: MOST },
    });
    const found: Connection[] = [];
    for (const { values } of rows) {
      const connection = await this.repository.load({ organization, id: values.connection as string });
      if (connection?.status !== 'live' || (provider !== null && connection.provider !== provider)) continue;
      if (tags.length === 0 || tags.some((tag) => connection.tags.includes(tag))) found.push(connection);
    }
    return found;
  }
}
