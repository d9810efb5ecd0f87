import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isForgotten, latestVersion, type Memory } from '#features/memories';
import { type AccessScope, actorOf, CLOCK, type Clock, err, ok, type Result, writeScope } from '#platform/kernel';
import { type Cause, requestCause } from '#ports/event-store';
import { CurrentViews } from '#read-side/views';
import { MemoryChanges } from '../memory-changes.ts';
import { MemoryFinder, type MemoryMatch, type MemoryName, withinTag } from '../memory-finder.ts';
import { decideForget } from './decide.ts';
import { ForgetMemory, type ForgetRefusal } from './forget-memory.command.ts';
import { PassageMemories } from './passage-memories.ts';

/** The id of the latest version. Null: nothing has the name. */
type Outcome = Result<string, ForgetRefusal> | null;

@CommandHandler(ForgetMemory)
export class ForgetMemoryHandler implements ICommandHandler<ForgetMemory> {
  constructor(
    private readonly finder: MemoryFinder,
    private readonly changes: MemoryChanges,
    private readonly passages: PassageMemories,
    private readonly views: CurrentViews,
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
    // Searches leave it out once the request is answered.
    if (memory?.ok || passage?.ok) await this.views.read();
    return outcome ?? err('memory_not_found');
  }

  #forgetMemory(scope: AccessScope, name: MemoryName, reason: string | null, cause: Cause): Promise<Outcome> {
    const forget = (memory: Memory) => decideForget(memory, reason);
    return this.changes.inTurn<Result<string, ForgetRefusal>>(
      () => this.#find(scope, name),
      async (found) => {
        if (isForgotten(found)) return err('already_forgotten');
        const group = await this.finder.withDuplicates(scope, [found], this.clock.now());
        const [first] = await this.changes.changeAll(scope, group, cause, forget);
        if (first?.ok) return ok(latestVersion(found).id);
        return err(first?.error === 'already_forgotten' ? first.error : 'memory_not_found');
      },
    );
  }

  async #forgetPassage(scope: AccessScope, name: MemoryName, reason: string | null, cause: Cause): Promise<Outcome> {
    const found = await this.passages.of(scope, name);
    if (found.length === 0) return null;
    const known = found.filter((one) => !isForgotten(one));
    const groups = await this.finder.withDuplicates(scope, known, this.clock.now());
    const outcomes = await this.changes.changeAll(scope, groups, cause, (memory) => decideForget(memory, reason));
    const first = groups[outcomes.findIndex((one) => one.ok)];
    return first === undefined ? err('already_forgotten') : ok(latestVersion(first).id);
  }

  /** A forgotten memory is named only if there is no other. */
  async #find(scope: AccessScope, name: MemoryName): Promise<MemoryMatch | null> {
    const found = await this.finder.withName(scope, name, this.clock.now());
    return found.find((one) => !isForgotten(one)) ?? found[0] ?? null;
  }
}
