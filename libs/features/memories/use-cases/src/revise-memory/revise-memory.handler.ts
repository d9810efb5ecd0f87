import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Admission } from '#features/documents/requests';
import { latestVersion, latestView, type Memory, type VersionView } from '#features/memories';
import { actorOf, CLOCK, type Clock, err, newId, ok, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { languageOf } from '#processing/languages';
import { MemoryChanges } from '../memory-changes.ts';
import { MemoryFinder, withinTag } from '../memory-finder.ts';
import { MemoryVisibility } from '../memory-visibility.ts';
import { decideRevise } from './decide.ts';
import { ReviseMemory, type ReviseRefusal } from './revise-memory.command.ts';

@CommandHandler(ReviseMemory)
export class ReviseMemoryHandler implements ICommandHandler<ReviseMemory> {
  constructor(
    private readonly finder: MemoryFinder,
    private readonly changes: MemoryChanges,
    private readonly visibility: MemoryVisibility,
    private readonly admission: Admission,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tag, name, change }: ReviseMemory): Promise<Result<VersionView, ReviseRefusal>> {
    const scope = writeScope(principal);
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    await this.admission.assertGrowable(own.organization);
    const head = await this.visibility.head();
    const language = languageOf(change.text);
    const revise = (memory: Memory) => decideRevise(memory, { id: newId(), ...change, language });
    const revised = await this.changes.inTurn(
      async () => {
        const named = await this.finder.withName(own, name, this.clock.now());
        return named.find(({ forgotten }) => forgotten === null) ?? null;
      },
      async (found) => {
        const group = await this.finder.withDuplicates(own, [found], this.clock.now());
        // Changed in this order, the oldest stays the oldest: lists show that one.
        const inOrder = group.toSorted((a, b) => latestVersion(a).createdAt - latestVersion(b).createdAt);
        const outcomes = await this.changes.changeAll(own, inOrder, requestCause(actorOf(principal)), revise);
        return { changed: outcomes[inOrder.indexOf(found)], outcomes };
      },
    );
    const { changed, outcomes = [] } = revised ?? {};
    if (!changed?.ok) return err(changed?.error === 'memory_too_large' ? changed.error : 'memory_not_found');
    const recorded = outcomes.flatMap((one) =>
      one.ok && one.value.position !== null ? [latestView(one.value.memory)] : [],
    );
    if (recorded.length > 0) await this.visibility.reached(own.organization, recorded, head);
    return ok(latestView(changed.value.memory));
  }
}
