import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { type DocumentState, decideRestored, latestViewOf, type VersionView } from '#features/documents';
import { STORAGE_GUARD, type StorageGuard } from '#features/documents/requests';
import { actorOf, CLOCK, type Clock, err, ok, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { MemoryChanges } from '../memory-changes.ts';
import { MemoryFinder } from '../memory-finder.ts';
import { AT_ONCE, withinTag } from '../memory-name.ts';
import { MemoryVisibility } from '../memory-visibility.ts';
import { RestoreMemories } from './restore-memories.command.ts';

@CommandHandler(RestoreMemories)
export class RestoreMemoriesHandler implements ICommandHandler<RestoreMemories> {
  constructor(
    private readonly chains: MemoryFinder,
    private readonly changes: MemoryChanges,
    private readonly views: MemoryVisibility,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tag, ids }: RestoreMemories): Promise<Result<readonly VersionView[], 'forbidden'>> {
    const scope = writeScope(principal);
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    this.storage.assertWritable();
    const now = this.clock.now();
    const found = await pLimit(AT_ONCE).map([...new Set(ids)], (id) => this.chains.find(own, id));
    const named = new Map(found.flatMap((one) => (one === null ? [] : [[one.id, one] as const])));
    const equal = await this.chains.equal(own, [...named.values()], now);
    const restore = (state: DocumentState) => decideRestored(state, now);
    const outcomes = await this.changes.changeAll(own, equal, requestCause(actorOf(principal)), restore);
    await this.views.shown(own.organization, [], null);
    // Those that the request names; of others that say the same, it knows nothing.
    return ok(outcomes.slice(0, named.size).flatMap((one) => (one.ok ? [latestViewOf(one.value.live)] : [])));
  }
}
