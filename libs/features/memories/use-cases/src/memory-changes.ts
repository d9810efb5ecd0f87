import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import {
  asShown,
  type DocumentEvent,
  DocumentRepository,
  type DocumentState,
  decidePassage,
  decideTouched,
  documentStream,
  type LiveMemory,
  memoryIn,
} from '#features/documents';
import { type AccessScope, err, ok, type Result, systemScope } from '#platform/kernel';
import { type Cause, type Position, StreamQueues } from '#ports/event-store';
import type { MemoryMatch } from './memory-finder.ts';
import { AT_ONCE } from './memory-name.ts';

type Decide<E> = (state: DocumentState) => Result<readonly DocumentEvent[], E>;

/** A memory after a change. */
interface ChangedMemory {
  readonly live: LiveMemory;
  /** Of the last event; null if there was nothing to record. */
  readonly position: Position | null;
}

/** Changes memories in their streams. That of a memory which was formed from a document begins with its first change. */
@Injectable()
export class MemoryChanges {
  /** Of two requests at the same time, memories that say the same get the versions in the same order. */
  readonly #turns = new StreamQueues();
  readonly #statements = new StreamQueues();

  constructor(private readonly documents: DocumentRepository) {}

  /**
   * Finds a memory, and does what a request asks of it and of those that say the same, one request after the other: while
   * another one changes them, some of them would say something else already.
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

  /**
   * Changes memories with one decision, the first one before the others. Returns the outcome of each, in their order.
   */
  async changeAll<E>(
    scope: AccessScope,
    memories: readonly MemoryMatch[],
    cause: Cause,
    decide: Decide<E>,
  ): Promise<readonly Result<ChangedMemory, E | 'not_found' | 'forbidden'>[]> {
    const streams = memories.map(({ organization, id }) => documentStream(organization, id));
    return this.#turns.run(streams, () => this.#changeAll(scope, memories, cause, decide));
  }

  async #changeAll<E>(
    scope: AccessScope,
    memories: readonly MemoryMatch[],
    cause: Cause,
    decide: Decide<E>,
  ): Promise<readonly Result<ChangedMemory, E | 'not_found' | 'forbidden'>[]> {
    // One event of each document says that its memories get streams.
    const changed = memories.filter((one) => {
      const decided = decide(one);
      return decided.ok && decided.value.length > 0;
    });
    await this.#begin(scope, changed, cause);
    const change = (one: MemoryMatch) => this.#change(scope, one, cause, decide);
    const [first, ...others] = memories;
    if (first === undefined) return [];
    return [await change(first), ...(await pLimit(AT_ONCE).map(others, change))];
  }

  async #begin(scope: AccessScope, found: readonly MemoryMatch[], cause: Cause): Promise<void> {
    const own = found.filter(({ origin }) => origin !== null);
    for (const [documentId, memories] of Map.groupBy(own, ({ origin }) => origin?.documentId ?? '')) {
      const ids = memories.map(({ id }) => id);
      await this.documents.change(scope, documentId, cause, (state) => decideTouched(state, ids));
    }
  }

  async #change<E>(
    scope: AccessScope,
    found: MemoryMatch,
    cause: Cause,
    decide: Decide<E>,
  ): Promise<Result<ChangedMemory, E | 'not_found' | 'forbidden'>> {
    const { origin, id } = found;
    if (origin === null) {
      const changed = await this.documents.change(scope, id, cause, decide);
      return changed.ok ? shown(changed.value, (live) => live) : changed;
    }
    const { organization, documentId } = origin;
    // Nothing is recorded of the document if the change is refused or changes nothing.
    const first = decide(found);
    if (!first.ok) return first;
    if (first.value.length === 0) return ok({ live: found, position: null });
    const begun = await this.documents.change(scope, documentId, cause, (state) => decideTouched(state, [id]));
    if (!begun.ok) return begun;
    const own = systemScope(organization);
    const changed = await this.documents.change(own, id, cause, (state) => decidePassage(state, origin, decide));
    return changed.ok ? shown(changed.value, (live) => asShown(live, origin)) : changed;
  }
}

const keyOf = ({ organization, statement }: MemoryMatch): string => `${organization} ${statement}`;

function shown(
  { state, position }: { readonly state: DocumentState; readonly position: Position | null },
  complete: (live: LiveMemory) => LiveMemory,
): Result<ChangedMemory, 'not_found'> {
  const live = memoryIn(state);
  return live === null ? err('not_found') : ok({ live: complete(live), position });
}
