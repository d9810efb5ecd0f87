import type { OnModuleDestroy } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Organizations } from '#access';
import { ContainerTagRepository } from '#container-tags';
import { BulkDeletions } from '#documents';
import { requestCause } from '#event-store';
import { err, ok, type Result, slugOf } from '#kernel';
import { SettingsRepository } from '#settings';
import { CurrentViews } from '#views';
import { type ResetRefusal, ResetSettings, type ResetTotals } from './reset-settings.command.ts';

const MOST_TAGS = 1_000_000;

@CommandHandler(ResetSettings)
export class ResetSettingsHandler implements ICommandHandler<ResetSettings>, OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly settings: SettingsRepository,
    private readonly organizations: Organizations,
    private readonly tags: ContainerTagRepository,
    private readonly bulk: BulkDeletions,
    private readonly views: CurrentViews,
  ) {}

  /** A reset that is interrupted may be repeated. */
  async execute({ scope, actor, confirmation }: ResetSettings): Promise<Result<ResetTotals, ResetRefusal>> {
    const { organization } = scope;
    if (scope.tags !== 'all') return err('forbidden');
    const name = await this.organizations.nameOf(organization);
    if (confirmation !== name && confirmation !== slugOf(name)) return err('not_confirmed');
    const cause = requestCause(actor);
    const views = await this.views.read();
    const { memories } = await views.totals(scope);
    const deleted = await this.bulk.delete(scope, actor, { by: 'all' }, this.stopping.signal);
    if (!deleted.ok) return deleted;
    const page = { equals: {}, sort: null, order: 'asc', offset: 0, limit: MOST_TAGS } as const;
    const { rows } = await views.rows({ model: 'tag_values', scope, ...page });
    for (const { values } of rows) await this.tags.erase(scope, values.tag as string, cause);
    await this.settings.reset(organization, cause);
    return ok({ documents: deleted.value.deletedCount, memories, tags: rows.length });
  }

  /** Open requests are answered before the server closes, and a deletion may take minutes. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }
}
