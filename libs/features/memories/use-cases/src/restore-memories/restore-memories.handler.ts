import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Admission } from '#features/documents/requests';
import { latestView, type VersionView } from '#features/memories';
import { actorOf, CLOCK, type Clock, err, ok, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { CurrentViews } from '#read-side/views';
import { MemoryChanges } from '../memory-changes.ts';
import { MemoryFinder, withinTag } from '../memory-finder.ts';
import { decideRestore } from './decide.ts';
import { RestoreMemories } from './restore-memories.command.ts';

@CommandHandler(RestoreMemories)
export class RestoreMemoriesHandler implements ICommandHandler<RestoreMemories> {
  constructor(
    private readonly finder: MemoryFinder,
    private readonly changes: MemoryChanges,
    private readonly views: CurrentViews,
    private readonly admission: Admission,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tag, ids }: RestoreMemories): Promise<Result<readonly VersionView[], 'forbidden'>> {
    const scope = writeScope(principal);
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    this.admission.assertWritable();
    const now = this.clock.now();
    const named = await this.finder.withIds(own, ids);
    const groups = await this.finder.withDuplicates(own, named, now);
    const cause = requestCause(actorOf(principal));
    const outcomes = await this.changes.changeAll(own, groups, cause, (memory) => decideRestore(memory, now));
    // Searches find them once the request is answered.
    await this.views.read();
    // Only those that the request names: it does not know their duplicates.
    return ok(outcomes.slice(0, named.length).flatMap((one) => (one.ok ? [latestView(one.value.memory)] : [])));
  }
}
