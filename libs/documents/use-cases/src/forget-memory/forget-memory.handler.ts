import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type DocumentState, decideForgotten, latestVersion } from '#documents';
import { requestCause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, err, ok, type Result } from '#kernel';
import { type FoundMemory, MemoryChains } from '../memories/memory-chains.ts';
import { MemoryChanges } from '../memories/memory-changes.ts';
import { type MemoryName, withinTag } from '../memories/named-memory.ts';
import { ShownMemories } from '../memories/shown-memories.ts';
import { ForgetMemory, type ForgetRefusal } from './forget-memory.command.ts';

@CommandHandler(ForgetMemory)
export class ForgetMemoryHandler implements ICommandHandler<ForgetMemory> {
  constructor(
    private readonly chains: MemoryChains,
    private readonly changes: MemoryChanges,
    private readonly views: ShownMemories,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, actor, tag, name, reason }: ForgetMemory): Promise<Result<string, ForgetRefusal>> {
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    const forget = (state: DocumentState) => decideForgotten(state, reason);
    const outcome = await this.changes.inTurn<Result<string, ForgetRefusal>>(
      () => this.#find(own, name),
      async (found) => {
        if (found.memory.forgotten !== null) return err('already_forgotten');
        const equal = await this.chains.equal(own, [found], this.clock.now());
        const [forgotten] = await this.changes.changeAll(own, equal, requestCause(actor), forget);
        if (forgotten?.ok) return ok(latestVersion(found.memory).id);
        return err(forgotten?.error === 'already_forgotten' ? forgotten.error : 'memory_not_found');
      },
    );
    if (outcome?.ok) await this.views.shown(own.organization, [], null);
    return outcome ?? err('memory_not_found');
  }

  /** By text, active memories come first: a forgotten one is named only if there is no other. */
  async #find(scope: AccessScope, name: MemoryName): Promise<FoundMemory | null> {
    if ('id' in name) return this.chains.find(scope, name.id);
    const found = await this.chains.withTexts(scope, [name.text], this.clock.now());
    return found.find(({ memory }) => memory.forgotten === null) ?? found[0] ?? null;
  }
}
