import { Inject, Injectable } from '@nestjs/common';
import { ConnectionRepository, secretName } from '#features/connections';
import { CONNECTION_SECRETS, type ConnectionSecretStore } from './connection-secrets.ts';

/** Creates connections with their secrets. */
@Injectable()
export class NewConnections {
  constructor(
    private readonly connections: ConnectionRepository,
    @Inject(CONNECTION_SECRETS) private readonly secrets: ConnectionSecretStore,
  ) {}

  /** @param secrets values by their names; they are removed if the connection is not created */
  async create(
    secrets: Readonly<Record<string, string>>,
    ...created: Parameters<ConnectionRepository['create']>
  ): ReturnType<ConnectionRepository['create']> {
    const [{ organization }, , , { id }] = created;
    const nameOf = (name: string) => secretName({ organization, id }, name);
    // Before the event: whoever hears of no success tries again.
    for (const [name, value] of Object.entries(secrets)) await this.secrets.put(nameOf(name), value);
    const outcome = await this.connections.create(...created);
    if (!outcome.ok) for (const name of Object.keys(secrets)) await this.secrets.delete(nameOf(name));
    return outcome;
  }
}
