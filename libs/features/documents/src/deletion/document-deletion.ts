import pLimit from 'p-limit';
import { type AccessScope, err, hasCode, ok, type Result, systemScope } from '#platform/kernel';
import { type Cause, type Position } from '#ports/event-store';
import { decideRelease } from '../claims/claim.ts';
import { lossIn } from '../content-loss/loss.ts';
import type { AccessRefusal } from '../document-change.ts';
import type { DocumentEvent } from '../events.ts';
import type { DocumentRepository } from '../repository.ts';
import type { DocumentState } from '../state.ts';
import { customIdStream } from '../streams.ts';
import { decideDelete, decideErased } from './decide.ts';

/** Streams of memories that are erased at once. */
const AT_ONCE = 32;

export interface DeletedDocument {
  readonly id: string;
  readonly position: Position;
  /** Its memories that had streams of their own, which are deleted, too. */
  readonly memories: readonly string[];
}

/** A live document as a row of the views shows it. */
export interface SeenDocument {
  readonly id: string;
  readonly customId: string | null;
  readonly tags: readonly string[];
  /** Of the last event that the row reflects. */
  readonly revision: number;
  /** Present: a memory that was recorded directly. */
  readonly memory?: object;
  /** Present: memories of it have streams of their own. */
  readonly cuts?: object;
}

/** Deletes documents from the log. Also a document that cannot be read any more can be deleted. */
export class DocumentDeletion {
  readonly #documents: DocumentRepository;

  constructor(documents: DocumentRepository) {
    this.#documents = documents;
  }

  /** Returns the id of a live document, by internal id, else by customId. */
  async find(scope: AccessScope, idOrCustomId: string): Promise<Result<string, AccessRefusal>> {
    try {
      const found = await this.#documents.find(scope, idOrCustomId);
      return found.ok ? ok(found.value.id) : found;
    } catch (error) {
      if (lossIn(error) === null) throw error;
      const lost = await this.#documents.lost.find(scope, idOrCustomId);
      if (lost.ok) return ok(lost.value.id);
      if (lost.error === 'forbidden') return lost;
      throw error;
    }
  }

  /** Returns the id of a document whose stream an operator removed, so that it can be deleted once; null: none. */
  findRemoved(scope: AccessScope, idOrCustomId: string): Promise<string | null> {
    return this.#documents.removed.find(scope, idOrCustomId);
  }

  /**
   * Records the deletion and erases the stream, in one append; then frees the customId.
   * @param name the customId, if the caller knows it: the stream of a lost document does not tell it
   */
  async delete(
    scope: AccessScope,
    cause: Cause,
    id: string,
    name: string | null = null,
  ): Promise<Result<DeletedDocument, AccessRefusal>> {
    let customId = name;
    const memories = new Set<string>();
    let left: readonly string[] = [];
    const decide = (state: DocumentState): Result<readonly DocumentEvent[], 'not_found'> => {
      left = state.status === 'live' ? state.touched.filter((memory) => !memories.has(memory)) : [];
      if (state.status === 'live') customId = state.customId;
      return left.length > 0 ? ok([]) : decideDelete(state);
    };
    let position: Position | null;
    try {
      for (;;) {
        const changed = await this.#documents.change(scope, id, cause, decide, { erase: true });
        if (!changed.ok) return changed;
        position = changed.value.position;
        if (left.length === 0) break;
        // Before the document: while it is there, it names them.
        await this.#deleteMemories(scope, cause, id, left);
        for (const memory of left) memories.add(memory);
      }
    } catch (error) {
      position = await this.#deleteLost(scope, cause, id, error);
    }
    if (position === null) return err('not_found');
    if (customId !== null) await this.#release(scope, cause, customId, id);
    return ok({ id, position, memories: [...memories] });
  }

  async #deleteMemories(
    { organization }: AccessScope,
    cause: Cause,
    documentId: string,
    ids: readonly string[],
  ): Promise<void> {
    const scope = systemScope(organization);
    await pLimit(AT_ONCE).map(ids, async (id) => {
      try {
        await this.#documents.change(scope, id, cause, (state) => decideErased(state, documentId), { erase: true });
      } catch (error) {
        await this.#deleteLost(scope, cause, id, error);
      }
    });
  }

  /** The same as `delete`, without reading the stream if the document has not changed since it was seen. */
  async deleteSeen(
    scope: AccessScope,
    cause: Cause,
    seen: SeenDocument,
  ): Promise<Result<DeletedDocument, AccessRefusal>> {
    const { id, customId } = seen;
    if (seen.cuts !== undefined) return this.delete(scope, cause, id, customId);
    const event = { type: 'DocumentDeleted', payload: null } as const;
    const known = { ...seen, isMemory: seen.memory !== undefined };
    const position = await this.#documents.changeAsSeen(scope, id, cause, known, [event], { erase: true });
    if (position === null) return this.delete(scope, cause, id, customId);
    if (customId !== null) await this.#release(scope, cause, customId, id);
    return ok({ id, position, memories: [] });
  }

  /** @throws `error` for a document that is not lost */
  async #deleteLost(scope: AccessScope, cause: Cause, id: string, error: unknown): Promise<Position | null> {
    const lost = lossIn(error) === null ? null : await this.#documents.lost.find(scope, id);
    if (!lost?.ok) throw error;
    return this.#documents.lost.delete(scope, lost.value, cause);
  }

  /** Optional: the next add takes over the claim of a deleted document. A full disk may prevent the release. */
  async #release(scope: AccessScope, cause: Cause, customId: string, id: string): Promise<void> {
    const stream = customIdStream(scope.organization, customId);
    try {
      await this.#documents.claims.change(scope, stream, cause, (state) => decideRelease(state, id));
    } catch (error) {
      if (!hasCode(error, 'no_space')) throw error;
    }
  }
}
