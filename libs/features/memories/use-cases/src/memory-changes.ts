import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import {
  DocumentRepository,
  type DocumentState,
  decideMemoryStreams,
  documentStream,
  memoryIn,
} from '#features/documents';
import {
  type DocumentPassage,
  type Memory,
  type MemoryEvent,
  memoryOfPassage,
  type PassageTouched,
  withPassage,
} from '#features/memories';
import { type AccessScope, err, ok, type Result, systemScope } from '#platform/kernel';
import { type Cause, type Position, StreamQueues } from '#ports/event-store';
import { AT_ONCE, type MemoryMatch } from './memory-finder.ts';

type Decide<E> = (memory: Memory) => Result<readonly MemoryEvent[], E>;

/** What became of a memory with a change. */
interface ChangedMemory {
  readonly memory: Memory;
  /** Of the last event; null if there was nothing to record. */
  readonly position: Position | null;
}

/** Changes memories in their streams. That of a memory which was formed from a document begins with its first change. */
@Injectable()
export class MemoryChanges {
  /** Two requests at the same time give the memories of a duplicate group the versions in the same order. */
  readonly #turns = new StreamQueues();
  readonly #statements = new StreamQueues();

  constructor(private readonly documents: DocumentRepository) {}

  /**
   * Finds a memory, and does what a request asks of its duplicate group. Requests about one group take turns: while a request
   * changes the memories of a group, they do not say the same.
   * @returns null: there is no such memory
   */
  async inTurn<T>(
    find: () => Promise<MemoryMatch | null>,
    work: (found: MemoryMatch) => Promise<T>,
  ): Promise<T | null> {
    for (let before = await find(); before !== null; before = await find()) {
      const key = keyOf(before);
      const done = await this.#statements.run([key], async () => {
        const found = await find();
        return found === null || keyOf(found) !== key ? null : { result: await work(found) };
      });
      if (done !== null) return done.result;
    }
    return null;
  }

  /** Changes memories with one decision, the first one before the others. Returns the outcome of each, in their order. */
  async changeAll<E>(
    scope: AccessScope,
    memories: readonly MemoryMatch[],
    cause: Cause,
    decide: Decide<E>,
  ): Promise<readonly Result<ChangedMemory, E | 'not_found' | 'forbidden'>[]> {
    const streams = memories.map(({ organization, id }) => documentStream(organization, id));
    return this.#turns.run(streams, async () => {
      const changed = memories.filter((one) => {
        const decided = decide(one);
        return decided.ok && decided.value.length > 0;
      });
      await this.#begin(scope, changed, cause);
      const change = (one: MemoryMatch) => this.#change(scope, one, cause, decide);
      const [first, ...others] = memories;
      if (first === undefined) return [];
      return [await change(first), ...(await pLimit(AT_ONCE).map(others, change))];
    });
  }

  /** Records with one event of each document which of its memories get streams. */
  async #begin(scope: AccessScope, memories: readonly MemoryMatch[], cause: Cause): Promise<void> {
    const formed = memories.filter(({ origin }) => origin !== null);
    for (const [documentId, own] of Map.groupBy(formed, ({ origin }) => origin?.documentId ?? '')) {
      const ids = own.map(({ id }) => id);
      await this.documents.change(scope, documentId, cause, (state) => decideMemoryStreams(state, ids));
    }
  }

  async #change<E>(
    scope: AccessScope,
    match: MemoryMatch,
    cause: Cause,
    decide: Decide<E>,
  ): Promise<Result<ChangedMemory, E | 'not_found' | 'forbidden'>> {
    const { origin, id, organization } = match;
    if (origin === null) {
      const changed = await this.documents.change<E | 'not_found'>(scope, id, cause, (state) => {
        const memory = memoryIn(state);
        return memory === null ? err('not_found') : decide(memory);
      });
      return changed.ok ? outcomeOf(changed.value, null) : changed;
    }
    // Nothing is recorded of the document if the change is refused or changes nothing.
    const decided = decide(match);
    if (!decided.ok) return decided;
    if (decided.value.length === 0) return ok({ memory: match, position: null });
    const begun = await this.documents.change(scope, origin.documentId, cause, (state) =>
      decideMemoryStreams(state, [id]),
    );
    if (!begun.ok) return begun;
    const changed = await this.documents.change(systemScope(organization), id, cause, (state) =>
      decideOfPassage(state, origin, decide),
    );
    return changed.ok ? outcomeOf(changed.value, origin) : changed;
  }
}

const keyOf = ({ organization, statement }: MemoryMatch): string => `${organization} ${statement}`;

/** Decides about a memory with the text of its document. If it has no stream yet, its stream begins. */
function decideOfPassage<E>(
  state: DocumentState,
  passage: DocumentPassage,
  decide: Decide<E>,
): Result<{ readonly events: readonly MemoryEvent[]; readonly tags: readonly string[] }, E | 'not_found'> {
  const { id, documentId, sentences, tags } = passage;
  const isNew = state.status === 'absent';
  const known = isNew ? memoryOfPassage(passage) : memoryIn(state);
  if (known === null || known.passage === null) return err('not_found');
  const decided = decide(withPassage(known, passage, passage.text));
  if (!decided.ok) return decided;
  const opening: PassageTouched = { type: 'PassageTouched', contentVersion: 1, payload: { id, documentId, sentences } };
  return ok({ events: isNew && decided.value.length > 0 ? [opening, ...decided.value] : decided.value, tags });
}

/** @param origin null: it was recorded directly */
function outcomeOf(
  { state, position }: { readonly state: DocumentState; readonly position: Position | null },
  origin: DocumentPassage | null,
): Result<ChangedMemory, 'not_found'> {
  const memory = memoryIn(state);
  if (memory === null) return err('not_found');
  return ok({ memory: origin === null ? memory : withPassage(memory, origin, origin.text), position });
}
