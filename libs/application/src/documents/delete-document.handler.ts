import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Cause, customIdStream, DocumentRepository, Erasure } from '#documents';
import { decideDelete, decideRelease } from '#domain';
import { StorageFullError } from '#event-store';
import { actorOf, err, newId, ok, type Result } from '#kernel';
import { DeleteDocument } from './delete-document.ts';
import { RecentDeletions } from './recent-deletions.ts';

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
    const document = await this.documents.find(organization, idOrCustomId);
    if (document === null) return err('not_found');
    const { id, customId } = document;
    const cause: Cause = { organization, actor: actorOf(caller), correlationId: newId(), causationId: null };
    const deleted = await this.documents.change(id, cause, decideDelete, { erase: true });
    if (!deleted.ok) return deleted;
    const { position } = deleted.value;
    this.deletions.hide(id, position);
    if (customId !== null) await this.#release(cause, customId, id);
    await this.erasure.erase(organization, id);
    await this.deletions.shown(position, VIEWS_WAIT_MS);
    return ok({ id });
  }

  /** Only tidies up: a claim whose document is deleted is taken over by the next add. So a full disk may prevent it. */
  async #release(cause: Cause, customId: string, id: string): Promise<void> {
    const stream = customIdStream(cause.organization, customId);
    try {
      await this.documents.changeClaim(stream, cause, (state) => decideRelease(state, id));
    } catch (error) {
      if (!(error instanceof StorageFullError)) throw error;
    }
  }
}
