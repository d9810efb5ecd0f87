import { Inject, Injectable } from '@nestjs/common';
import { type Connection, ConnectionRepository, openSource } from '#features/connections';
import { invalid } from '#platform/input';
import { err, ok, type Result } from '#platform/kernel';
import type { ResourcePage, ResourceRequest, Resources } from '#ports/connectors';
import { requestCause } from '#ports/event-store';
import { CONNECTION_SECRETS, type ConnectionSecretStore } from './connection-secrets.ts';
import { Providers, ProviderUnavailableError } from './providers.ts';

/** For all that is asked of a provider for one answer. Milliseconds. */
const TIMEOUT_MS = 60_000;

export interface Choice extends ResourcePage {
  /** By which the person knows the account, if it has one. */
  readonly account: string | null;
  readonly selected: readonly { readonly id: string; readonly name: string }[];
}

/** What people choose of a source. Errors of the source are those of its connector. */
@Injectable()
export class Choices {
  constructor(
    private readonly connections: ConnectionRepository,
    private readonly providers: Providers,
    @Inject(CONNECTION_SECRETS) private readonly secrets: ConnectionSecretStore,
  ) {}

  /** @throws InputError for a parent that is none; ProviderUnavailableError if nothing is chosen of such a source */
  list(connection: Connection, request: ResourceRequest): Promise<Choice> {
    return this.#use(connection, async (resources, signal) => {
      const found = await resources.list(request, signal);
      if (!found.ok) throw invalid('parent_id', found.error);
      const { account } = connection.setup;
      return { ...found.value, account: typeof account === 'string' ? account : null, selected: resources.chosen() };
    });
  }

  /**
   * The connection reads these from now on, and is synced at once.
   * @throws InputError for one that cannot be chosen; ProviderUnavailableError if nothing is chosen of such a source
   */
  async choose(
    connection: Connection,
    ids: readonly string[],
    actor: string,
  ): Promise<Result<Connection, 'connection_not_found'>> {
    const chosen = await this.#use(connection, (resources, signal) => resources.choose(ids, signal));
    if (!chosen.ok) throw invalid('resources', chosen.error);
    const cause = requestCause(actor);
    const changed = await this.connections.changeSetup(connection, cause, { ...connection.setup, ...chosen.value });
    if (!changed.ok) return err('connection_not_found');
    if (ids.length > 0) await this.connections.request(connection, cause, 'manual');
    return ok(changed.value);
  }

  async #use<T>(connection: Connection, use: (resources: Resources, signal: AbortSignal) => Promise<T>): Promise<T> {
    const connectors = new Map([[connection.provider, this.providers.usable(connection.provider)]]);
    const source = await openSource({ connectors, secrets: this.secrets }, connection);
    try {
      if (source.resources === undefined) {
        throw new ProviderUnavailableError(`Nothing is selected of connections to ${connection.provider}`);
      }
      return await use(source.resources, AbortSignal.timeout(TIMEOUT_MS));
    } finally {
      await source.close();
    }
  }
}
