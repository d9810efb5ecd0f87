import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { decideRestored } from '#documents';
import { requestCause } from '#event-store';
import { CLOCK, type Clock, err, ok, type Result } from '#kernel';
import { STORAGE_GUARD, type StorageGuard } from '../add-document/ports.ts';
import { MemoryChains } from '../memories/memory-chains.ts';
import { MemoryChanges } from '../memories/memory-changes.ts';
import { latestViewOf, type VersionView } from '../memories/memory-view.ts';
import { AT_ONCE, withinTag } from '../memories/named-memory.ts';
import { ShownMemories } from '../memories/shown-memories.ts';
import { RestoreMemories } from './restore-memories.command.ts';

@CommandHandler(RestoreMemories)
export class RestoreMemoriesHandler implements ICommandHandler<RestoreMemories> {
  constructor(
    private readonly chains: MemoryChains,
    private readonly changes: MemoryChanges,
    private readonly views: ShownMemories,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, actor, tag, ids }: RestoreMemories): Promise<Result<readonly VersionView[], 'forbidden'>> {
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    this.storage.assertWritable();
    const cause = requestCause(actor);
    const restore = async (id: string): Promise<VersionView | null> => {
      const found = await this.chains.find(own, id);
      if (found === null) return null;
      const now = this.clock.now();
      const changed = await this.changes.change(own, found, cause, (state) => decideRestored(state, now));
      return changed.ok ? latestViewOf(changed.value.live) : null;
    };
    const restored = await pLimit(AT_ONCE).map([...new Set(ids)], restore);
    await this.views.shown(own.organization, [], null);
    return ok([...new Map(restored.flatMap((one) => (one === null ? [] : [[one.rootId, one]]))).values()]);
  }
}
