import { Inject, Injectable } from '@nestjs/common';
import { API_KEYS, type ApiKeys } from '#features/access';
import { type Connection, ConnectionRepository } from '#features/connections';
import type { PickerLink } from '#features/connections/authorization';
import { err, ok, type Result } from '#platform/kernel';
import { CONNECTION_FLOWS, type Flows, type LinkRefusal } from './flows.ts';

/** The connections to which links of the picker lead. */
@Injectable()
export class PickedConnections {
  constructor(
    private readonly repository: ConnectionRepository,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    @Inject(CONNECTION_FLOWS) private readonly flows: Flows,
  ) {}

  async find(
    text: string,
  ): Promise<Result<{ readonly connection: Connection; readonly link: PickerLink }, LinkRefusal>> {
    const link = (await this.flows?.open('picker', text)) ?? null;
    if (link === null || this.keys.organizations.stateOf(link.organization) !== 'active') return err('link_over');
    const connection = await this.repository.load({ organization: link.organization, id: link.connection });
    return connection?.status === 'live' ? ok({ connection, link }) : err('link_over');
  }
}
