import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Cause, customIdStream, DocumentRepository, Erasure, lossIn } from '#documents';
import { decideDelete, decideRelease } from '#domain';
import type { Position } from '#event-store';
import { actorOf, err, hasCode, newId, ok, type Result } from '#kernel';
import { DeleteDocument } from './delete-document.ts';
import { RecentDeletions } from './recent-deletions.ts';

interface DeletedDocument {
  readonly id: string;
  readonly customId: string | null;
  readonly position: Position | null;
}

/** How long a deletion waits for the views to forget the document; it is hidden from every search at once. */
const VIEWS_WAIT_MS = 5_000;

@CommandHandler(DeleteDocument)
export class DeleteDocumentHandler implements ICommandHandler<DeleteDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly erasure: Erasure,
    private readonly deletions: RecentDeletions,
  ) {}

  async execute({ caller, idOrCustomId }: DeleteDocument): Promise<Result<{ readonly id: string }, 'not_found'>> {
    const { organization } = caller;
    const cause: Cause = { organization, actor: actorOf(caller), correlationId: newId(), causationId: null };
    const deleted = await this.#delete(cause, idOrCustomId).catch((error) =>
      this.#deleteLost(cause, idOrCustomId, error),
    );
    if (deleted === null) return err('not_found');
    const { id, customId, position } = deleted;
    this.deletions.hide(id, position);
    if (customId !== null) await this.#release(cause, customId, id);
    await this.erasure.erase(organization, id);
    await this.deletions.shown(position, VIEWS_WAIT_MS);
    return ok({ id });
  }

  async #delete(cause: Cause, idOrCustomId: string): Promise<DeletedDocument | null> {
    const document = await this.documents.find(cause.organization, idOrCustomId);
    if (document === null) return null;
    const { id, customId } = document;
    const deleted = await this.documents.change(id, cause, decideDelete, { erase: true });
    return deleted.ok ? { id, customId, position: deleted.value.position } : null;
  }

  /** What cannot be read any more can still be deleted; the claim of a name that was not told is taken over by the next. */
  async #deleteLost(cause: Cause, idOrCustomId: string, error: unknown): Promise<DeletedDocument> {
    const lost = lossIn(error) === null ? null : await this.documents.lost(cause.organization, idOrCustomId);
    const position = lost && (await this.documents.deleteLost(lost, cause));
    if (lost === null || position === null) throw error;
    return { id: lost.id, customId: lost.id === idOrCustomId ? null : idOrCustomId, position };
  }

  /** Only tidies up: a claim whose document is deleted is taken over by the next add. So a full disk may prevent it. */
  async #release(cause: Cause, customId: string, id: string): Promise<void> {
    const stream = customIdStream(cause.organization, customId);
    try {
      await this.documents.changeClaim(stream, cause, (state) => decideRelease(state, id));
    } catch (error) {
      if (!hasCode(error, 'no_space')) throw error;
    }
  }
}
