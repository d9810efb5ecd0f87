import { Inject, Logger } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { err, hasCode, ok, type Result } from '#platform/kernel';
import { CONNECTION_FLOWS, type Flows, type LinkRefusal } from '../flows.ts';
import { Providers } from '../providers.ts';
import { ArriveConnection } from './arrive-connection.command.ts';

@CommandHandler(ArriveConnection)
export class ArriveConnectionHandler implements ICommandHandler<ArriveConnection> {
  readonly #logger = new Logger('connections');

  constructor(
    private readonly providers: Providers,
    @Inject(CONNECTION_FLOWS) private readonly flows: Flows,
  ) {}

  async execute({ arrival: { provider, state, code, error } }: ArriveConnection): Promise<Result<string, LinkRefusal>> {
    const { flows } = this;
    const begun = (await flows?.open('begun', state)) ?? null;
    if (flows === null || begun === null || begun.provider !== provider) return err('link_over');
    const { authorization } = this.providers.usable(provider);
    if (authorization === undefined) return err('link_over');
    if (code === null) {
      return ok(flows.failed(begun.redirectUrl, error === 'access_denied' ? error : 'not_permitted'));
    }
    try {
      const arrived = { code, verifier: begun.verifier, redirectUri: flows.callbackOf(provider) };
      return ok(await flows.confirmation({ ...begun, permission: await authorization.permissionOf(arrived) }));
    } catch (problem) {
      this.#logger.warn(`${provider} gives no permission: ${(problem as Error).message}`);
      const outcome = hasCode(problem, 'source_lost') ? 'not_permitted' : 'provider_unreachable';
      return ok(flows.failed(begun.redirectUrl, outcome));
    }
  }
}
