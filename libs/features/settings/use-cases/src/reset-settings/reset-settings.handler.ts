import type { OnModuleDestroy } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Organizations } from '#features/access';
import { ConnectionRepository } from '#features/connections';
import { connectionsOf } from '#features/connections/sync';
import { BulkDeletions } from '#features/documents';
import { actorOf, err, ok, type Result, slugOf, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { CurrentViews } from '#read-side/views';
import { type ResetRefusal, ResetSettings, type ResetTotals } from './reset-settings.command.ts';

@CommandHandler(ResetSettings)
export class ResetSettingsHandler implements ICommandHandler<ResetSettings>, OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly organizations: Organizations,
    private readonly connections: ConnectionRepository,
    private readonly bulk: BulkDeletions,
    private readonly views: CurrentViews,
  ) {}

  /** A reset that is interrupted is finished in the background, and the same call joins it: see `BulkDeletions`. */
  async execute({ principal, confirmation }: ResetSettings): Promise<Result<ResetTotals, ResetRefusal>> {
    const scope = writeScope(principal);
    const { organization } = scope;
    if (scope.tags !== 'all') return err('forbidden');
    const name = await this.organizations.nameOf(organization);
    if (confirmation !== name && confirmation !== slugOf(name)) return err('not_confirmed');
    const views = await this.views.read();
    const cause = requestCause(actorOf(principal));
    let connections = 0;
    for (const id of await connectionsOf(views, organization)) {
      if ((await this.connections.delete({ organization, id }, cause, true)).ok) connections += 1;
    }
    const { memories } = await views.totals(scope);
    const page = { equals: {}, sort: null, order: 'asc', offset: 0, limit: 1 } as const;
    const { total: tags } = await views.rows({ model: 'tag_values', scope, ...page });
    const deleted = await this.bulk.delete(scope, actorOf(principal), { by: 'reset' }, this.stopping.signal);
    return deleted.ok ? ok({ connections, documents: deleted.value.deletedCount, memories, tags }) : deleted;
  }

  /** Open requests are answered before the server closes, and a deletion may take minutes. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }
}
