import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { DocumentRepository, decideForgotten } from '#documents';
import { requestCause } from '#event-store';
import { err, ok, type Result } from '#kernel';
import { MemoryChains } from '../memories/memory-chains.ts';
import { latestViewOf, type VersionView } from '../memories/memory-view.ts';
import { AT_ONCE, withinTag } from '../memories/named-memory.ts';
import { ShownMemories } from '../memories/shown-memories.ts';
import { ForgetMemories, type ForgottenBatch } from './forget-memories.command.ts';

@CommandHandler(ForgetMemories)
export class ForgetMemoriesHandler implements ICommandHandler<ForgetMemories> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly chains: MemoryChains,
    private readonly views: ShownMemories,
  ) {}

  async execute(command: ForgetMemories): Promise<Result<ForgottenBatch, 'forbidden'>> {
    const { scope, actor, tag, ids, reason, isDry } = command;
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    const cause = requestCause(actor);
    const forget = async (id: string): Promise<VersionView | null> => {
      const found = await this.chains.find(own, id);
      if (found === null || found.memory.forgotten !== null) return null;
      if (isDry) return latestViewOf(found);
      const forgotten = await this.documents.change(own, found.id, cause, (state) => decideForgotten(state, reason));
      return forgotten.ok ? latestViewOf(found) : null;
    };
    const found = await pLimit(AT_ONCE).map([...new Set(ids)], forget);
    const byRoot = new Map(found.flatMap((one) => (one === null ? [] : [[one.rootId, one] as const])));
    if (!isDry) await this.views.shown(own.organization, [], null);
    return ok({ id: isDry ? null : cause.correlationId, memories: [...byRoot.values()] });
  }
}
