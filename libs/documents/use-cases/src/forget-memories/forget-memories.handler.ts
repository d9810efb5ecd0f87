import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { decideForgotten } from '#documents';
import { requestCause } from '#event-store';
import { err, ok, type Result } from '#kernel';
import { type FoundMemory, MemoryChains } from '../memories/memory-chains.ts';
import { MemoryChanges } from '../memories/memory-changes.ts';
import { latestViewOf, type VersionView } from '../memories/memory-view.ts';
import { AT_ONCE, withinTag } from '../memories/named-memory.ts';
import { ShownMemories } from '../memories/shown-memories.ts';
import { ForgetMemories, type ForgottenBatch } from './forget-memories.command.ts';

@CommandHandler(ForgetMemories)
export class ForgetMemoriesHandler implements ICommandHandler<ForgetMemories> {
  constructor(
    private readonly chains: MemoryChains,
    private readonly changes: MemoryChanges,
    private readonly views: ShownMemories,
  ) {}

  async execute(command: ForgetMemories): Promise<Result<ForgottenBatch, 'forbidden'>> {
    const { scope, actor, tag, ids, reason, isDry } = command;
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    const cause = requestCause(actor);
    const found = await pLimit(AT_ONCE).map([...new Set(ids)], (id) => this.chains.find(own, id));
    const byRoot = new Map(
      found.flatMap((one) => (one === null || one.memory.forgotten !== null ? [] : [[one.id, one] as const])),
    );
    const memories = [...byRoot.values()];
    if (isDry) return ok({ id: null, memories: memories.map(latestViewOf) });
    await this.changes.begin(own, memories, cause);
    const forget = async (one: FoundMemory): Promise<readonly VersionView[]> => {
      const forgotten = await this.changes.change(own, one, cause, (state) => decideForgotten(state, reason));
      return forgotten.ok ? [latestViewOf(one)] : [];
    };
    const forgotten = await pLimit(AT_ONCE).map(memories, forget);
    await this.views.shown(own.organization, [], null);
    return ok({ id: cause.correlationId, memories: forgotten.flat() });
  }
}
