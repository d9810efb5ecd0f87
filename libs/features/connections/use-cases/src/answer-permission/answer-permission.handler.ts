import { Inject, Logger } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { API_KEYS, type ApiKeys } from '#features/access';
import { ConnectionRepository, type ItemFilters } from '#features/connections';
import type { ConnectionFlows, PermittedConnection } from '#features/connections/authorization';
import { err, ok, type Result, systemScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { CONNECTION_FLOWS, type Flows, type LinkRefusal } from '../flows.ts';
import { NewConnections } from '../new-connections.ts';
import { Providers } from '../providers.ts';
import { AnswerPermission } from './answer-permission.command.ts';

@CommandHandler(AnswerPermission)
export class AnswerPermissionHandler implements ICommandHandler<AnswerPermission> {
  readonly #logger = new Logger('connections');

  constructor(
    private readonly connections: ConnectionRepository,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    private readonly providers: Providers,
    private readonly newConnections: NewConnections,
    @Inject(CONNECTION_FLOWS) private readonly flows: Flows,
  ) {}

  async execute({ request, allow }: AnswerPermission): Promise<Result<string, LinkRefusal>> {
    const { flows } = this;
    const permitted = (await flows?.open('permitted', request)) ?? null;
    if (flows === null || permitted === null) return err('link_over');
    // One that is there has used this permission, and keeps it.
    if ((await this.connections.load(permitted)) !== null) return err('link_over');
    const { organization, redirectUrl } = permitted;
    const isActive = this.keys.organizations.stateOf(organization) === 'active';
    if (allow && isActive) return this.#connect(flows, permitted);
    await this.#decline(permitted);
    return isActive ? ok(flows.failed(redirectUrl, 'access_denied')) : err('link_over');
  }

  async #connect(flows: ConnectionFlows, permitted: PermittedConnection): Promise<Result<string, LinkRefusal>> {
    const { organization, id, provider, actor, tags, setup, metadata, documentLimit, redirectUrl } = permitted;
    const { permission } = permitted;
    const known = { ...setup, ...permission.setup };
    const filters = permitted.filters as unknown as ItemFilters;
    const payload = { id, provider, setup: known, metadata, documentLimit, filters };
    const scope = systemScope(organization);
    const created = await this.newConnections.create(permission.secrets, scope, requestCause(actor), tags, payload);
    if (!created.ok) return err('link_over');
    const isChosen = this.providers.isChosen(provider, known);
    if (isChosen || redirectUrl !== null) return ok(flows.connected(redirectUrl, id));
    return ok(await flows.picker({ organization, connection: id, actor, redirectUrl }));
  }

  async #decline({ provider, permission }: PermittedConnection): Promise<void> {
    try {
      await this.providers.usable(provider).authorization?.decline(permission);
    } catch (error) {
      this.#logger.warn(`a permission of ${provider} could not be given back: ${(error as Error).message}`);
    }
  }
}
