import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isForgotten, latestView, type VersionView } from '#features/memories';
import { actorOf, CLOCK, type Clock, err, ok, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { CurrentViews } from '#read-side/views';
import { decideForget } from '../forget-memory/decide.ts';
import { MemoryChanges } from '../memory-changes.ts';
import { MemoryFinder, type MemoryMatch, withinTag } from '../memory-finder.ts';
import { ForgetMemories, type ForgottenBatch } from './forget-memories.command.ts';

/** Returns the first memory of each duplicate group. */
const firstOfEach = (memories: readonly MemoryMatch[]): readonly VersionView[] =>
  [...Map.groupBy(memories, ({ statement }) => statement).values()].flatMap(([first]) =>
    first ? [latestView(first)] : [],
  );

@CommandHandler(ForgetMemories)
export class ForgetMemoriesHandler implements ICommandHandler<ForgetMemories> {
  constructor(
    private readonly finder: MemoryFinder,
    private readonly changes: MemoryChanges,
    private readonly views: CurrentViews,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(command: ForgetMemories): Promise<Result<ForgottenBatch, 'forbidden'>> {
    const { principal, tag, ids, reason, isDry } = command;
    const scope = writeScope(principal);
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    const cause = requestCause(actorOf(principal));
    const memories = (await this.finder.withIds(own, ids)).filter((one) => !isForgotten(one));
    if (isDry) return ok({ id: null, memories: firstOfEach(memories) });
    const groups = await this.finder.withDuplicates(own, memories, this.clock.now());
    const outcomes = await this.changes.changeAll(own, groups, cause, (memory) => decideForget(memory, reason));
    // Searches leave them out once the request is answered.
    await this.views.read();
    return ok({ id: cause.correlationId, memories: firstOfEach(groups.filter((_, i) => outcomes[i]?.ok)) });
  }
}
