import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type DocumentState, decideRevised, latestViewOf, type VersionView } from '#features/documents';
import { STORAGE_GUARD, type StorageGuard } from '#features/documents/requests';
import {
  type AccessScope,
  actorOf,
  CLOCK,
  type Clock,
  err,
  newId,
  ok,
  type Result,
  writeScope,
} from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { languageOf } from '#processing/languages';
import { MemoryChanges } from '../memory-changes.ts';
import { MemoryFinder, type MemoryMatch } from '../memory-finder.ts';
import { type MemoryName, withinTag } from '../memory-name.ts';
import { MemoryVisibility } from '../memory-visibility.ts';
import { ReviseMemory, type ReviseRefusal } from './revise-memory.command.ts';

@CommandHandler(ReviseMemory)
export class ReviseMemoryHandler implements ICommandHandler<ReviseMemory> {
  constructor(
    private readonly chains: MemoryFinder,
    private readonly changes: MemoryChanges,
    private readonly views: MemoryVisibility,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tag, name, change }: ReviseMemory): Promise<Result<VersionView, ReviseRefusal>> {
    const scope = writeScope(principal);
    const own = withinTag(scope, tag);
    if (own === null) return err('forbidden');
    this.storage.assertWritable();
    const head = await this.views.head();
    const language = languageOf(change.text);
    const revise = (state: DocumentState) => decideRevised(state, { id: newId(), ...change, language });
    const revised = await this.changes.inTurn(
      () => this.#find(own, name),
      async (found) => {
        // Changed in this order, the oldest stays the oldest: lists show that one.
        const equal = (await this.chains.equal(own, [found], this.clock.now())).toSorted(
          (one, other) => one.createdAt - other.createdAt,
        );
        const outcomes = await this.changes.changeAll(own, equal, requestCause(actorOf(principal)), revise);
        return { changed: outcomes[equal.indexOf(found)], outcomes };
      },
    );
    const { changed, outcomes = [] } = revised ?? {};
    if (!changed?.ok) return err(changed?.error === 'memory_too_large' ? changed.error : 'memory_not_found');
    const recorded = outcomes.flatMap((one) => (one.ok && one.value.position !== null ? [one.value.live] : []));
    if (recorded.length > 0) await this.views.shown(own.organization, recorded.map(latestViewOf), head);
    return ok(latestViewOf(changed.value.live));
  }

  async #find(scope: AccessScope, name: MemoryName): Promise<MemoryMatch | null> {
    if ('id' in name) return this.chains.find(scope, name.id);
    const found = await this.chains.withTexts(scope, [name.text], this.clock.now());
    return found.find(({ memory }) => memory.forgotten === null) ?? null;
  }
}
