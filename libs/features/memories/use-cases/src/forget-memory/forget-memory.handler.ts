import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type DocumentState, decideForgotten, isForgotten, latestVersion } from '#features/documents';
import { type AccessScope, actorOf, CLOCK, type Clock, err, ok, type Result, writeScope } from '#platform/kernel';
import { type Cause, requestCause } from '#ports/event-store';
import { MemoryChanges } from '../memory-changes.ts';
import { MemoryFinder, type MemoryMatch } from '../memory-finder.ts';
import { type MemoryName, withinTag } from '../memory-name.ts';
import { MemoryVisibility } from '../memory-visibility.ts';
import { ForgetMemory, type ForgetRefusal } from './forget-memory.command.ts';
import { PassageMemories } from './passage-memories.ts';

/** Null: nothing has the name. */
type Forgotten = Result<string, ForgetRefusal> | null;

@CommandHandler(ForgetMemory)
export class ForgetMemoryHandler implements ICommandHandler<ForgetMemory> {
  constructor(
    private readonly chains: MemoryFinder,
    private readonly changes: MemoryChanges,
    private readonly passages: PassageMemories,
    private readonly views: MemoryVisibility,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tag, name, reason, picked }: ForgetMemory): Promise<Result<string, ForgetRefusal>> {
    const scope = { ...writeScope(principal, picked), isExact: true };
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    const cause = requestCause(actorOf(principal));
    const memory = await this.#forgetMemory(own, name, reason, cause);
    // A text may be that of a memory here and of a passage there.
    const passage = memory !== null && 'id' in name ? null : await this.#forgetPassage(own, name, reason, cause);
    const outcome = memory?.ok ? memory : (passage ?? memory);
    if (memory?.ok || passage?.ok) await this.views.shown(own.organization, [], null);
    return outcome ?? err('memory_not_found');
  }

  #forgetMemory(scope: AccessScope, name: MemoryName, reason: string | null, cause: Cause): Promise<Forgotten> {
    const forget = (state: DocumentState) => decideForgotten(state, reason);
    return this.changes.inTurn<Result<string, ForgetRefusal>>(
      () => this.#find(scope, name),
      async (found) => {
        if (isForgotten(found.memory)) return err('already_forgotten');
        const equal = await this.chains.equal(scope, [found], this.clock.now());
        const [forgotten] = await this.changes.changeAll(scope, equal, cause, forget);
        if (forgotten?.ok) return ok(latestVersion(found.memory).id);
        return err(forgotten?.error === 'already_forgotten' ? forgotten.error : 'memory_not_found');
      },
    );
  }

  async #forgetPassage(scope: AccessScope, name: MemoryName, reason: string | null, cause: Cause): Promise<Forgotten> {
    const found = await this.passages.of(scope, name);
    if (found.length === 0) return null;
    const known = found.filter(({ memory }) => !isForgotten(memory));
    const equal = await this.chains.equal(scope, known, this.clock.now());
    const forget = (state: DocumentState) => decideForgotten(state, reason);
    const outcomes = await this.changes.changeAll(scope, equal, cause, forget);
    const at = outcomes.findIndex((one) => one.ok);
    const first = equal[at];
    return first === undefined ? err('already_forgotten') : ok(latestVersion(first.memory).id);
  }

  /** By text, active memories come first: a forgotten one is named only if there is no other. */
  async #find(scope: AccessScope, name: MemoryName): Promise<MemoryMatch | null> {
    if ('id' in name) return this.chains.find(scope, name.id);
    const found = await this.chains.withTexts(scope, [name.text], this.clock.now());
    return found.find(({ memory }) => !isForgotten(memory)) ?? found[0] ?? null;
  }
}
