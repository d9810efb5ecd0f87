import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { type DocumentState, decideForgotten, isForgotten, latestViewOf, type VersionView } from '#features/documents';
import { actorOf, CLOCK, type Clock, err, ok, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { MemoryChanges } from '../memory-changes.ts';
import { MemoryFinder, type MemoryMatch } from '../memory-finder.ts';
import { AT_ONCE, withinTag } from '../memory-name.ts';
import { MemoryVisibility } from '../memory-visibility.ts';
import { ForgetMemories, type ForgottenBatch } from './forget-memories.command.ts';

/** Returns one of the memories that say the same. */
const statementsOf = (memories: readonly MemoryMatch[]): readonly VersionView[] =>
  [...new Map(memories.toReversed().map((one) => [one.statement, one])).values()].toReversed().map(latestViewOf);

@CommandHandler(ForgetMemories)
export class ForgetMemoriesHandler implements ICommandHandler<ForgetMemories> {
  constructor(
    private readonly chains: MemoryFinder,
    private readonly changes: MemoryChanges,
    private readonly views: MemoryVisibility,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(command: ForgetMemories): Promise<Result<ForgottenBatch, 'forbidden'>> {
    const { principal, tag, ids, reason, isDry } = command;
    const scope = writeScope(principal);
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    const cause = requestCause(actorOf(principal));
    const found = await pLimit(AT_ONCE).map([...new Set(ids)], (id) => this.chains.find(own, id));
    const byRoot = new Map(
      found.flatMap((one) => (one === null || isForgotten(one.memory) ? [] : [[one.id, one] as const])),
    );
    const memories = [...byRoot.values()];
    if (isDry) return ok({ id: null, memories: statementsOf(memories) });
    const equal = await this.chains.equal(own, memories, this.clock.now());
    const forget = (state: DocumentState) => decideForgotten(state, reason);
    const outcomes = await this.changes.changeAll(own, equal, cause, forget);
    await this.views.shown(own.organization, [], null);
    return ok({ id: cause.correlationId, memories: statementsOf(equal.filter((_, i) => outcomes[i]?.ok)) });
  }
}
