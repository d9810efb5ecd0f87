import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AccessRefusal, customIdStream, DocumentRepository, decideRelease, Erasure, lossIn } from '#documents';
import type { Cause, Position } from '#event-store';
import { type AccessScope, err, hasCode, newId, ok, type Result } from '#kernel';
import { RecentDeletions } from '#views';
import { decideDelete } from './decide.ts';
import { DeleteDocument } from './delete-document.command.ts';

interface DeletedDocument {
  readonly id: string;
  readonly customId: string | null;
  readonly position: Position | null;
}

type Deletion = Result<DeletedDocument, AccessRefusal>;

/** How long a deletion waits for the views to remove the document; it is hidden from every search at once. */
const VIEWS_WAIT_MS = 5_000;

@CommandHandler(DeleteDocument)
export class DeleteDocumentHandler implements ICommandHandler<DeleteDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly erasure: Erasure,
    private readonly deletions: RecentDeletions,
  ) {}

  async execute({
    scope,
    actor,
    idOrCustomId,
  }: DeleteDocument): Promise<Result<{ readonly id: string }, AccessRefusal>> {
    const cause: Cause = { actor, correlationId: newId(), causationId: null };
    const deleted = await this.#delete(scope, cause, idOrCustomId).catch((error) =>
      this.#deleteLost(scope, cause, idOrCustomId, error),
    );
    if (!deleted.ok) return deleted;
    const { id, customId, position } = deleted.value;
    this.deletions.hide(id, position);
    if (customId !== null) await this.#release(scope, cause, customId, id);
    await this.erasure.erase(scope.organization, id);
    await this.deletions.shown(position, VIEWS_WAIT_MS);
    return ok({ id });
  }

  async #delete(scope: AccessScope, cause: Cause, idOrCustomId: string): Promise<Deletion> {
    const found = await this.documents.find(scope, idOrCustomId);
    if (!found.ok) return found;
    const { id, customId } = found.value;
    const deleted = await this.documents.change(scope, id, cause, decideDelete, { erase: true });
    return deleted.ok ? ok({ id, customId, position: deleted.value.position }) : deleted;
  }

  /** Also a document that cannot be read any more can be deleted; the next add takes over the claim of its unknown name. */
  async #deleteLost(scope: AccessScope, cause: Cause, idOrCustomId: string, error: unknown): Promise<Deletion> {
    if (lossIn(error) === null) throw error;
    const lost = await this.documents.findLost(scope, idOrCustomId);
    if (!lost.ok && lost.error === 'forbidden') return err('forbidden');
    const position = lost.ok ? await this.documents.deleteLost(scope, lost.value, cause) : null;
    if (!lost.ok || position === null) throw error;
    const { id } = lost.value;
    return ok({ id, customId: id === idOrCustomId ? null : idOrCustomId, position });
  }

  /** Optional: the next add takes over the claim of a deleted document. A full disk may prevent the release. */
  async #release(scope: AccessScope, cause: Cause, customId: string, id: string): Promise<void> {
    const stream = customIdStream(scope.organization, customId);
    try {
      await this.documents.claims.change(scope, stream, cause, (state) => decideRelease(state, id));
    } catch (error) {
      if (!hasCode(error, 'no_space')) throw error;
    }
  }
}
