import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AccessRefusal, DocumentDeletion, Erasure, ErasureDelayedError } from '#features/documents';
import { actorOf, err, ok, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { RecentDeletions } from '#read-side/views';
import { DeleteDocument } from './delete-document.command.ts';

/** How long a deletion waits for the views to remove the document; it is hidden from every search at once. */
const VIEWS_WAIT_MS = 5_000;

@CommandHandler(DeleteDocument)
export class DeleteDocumentHandler implements ICommandHandler<DeleteDocument> {
  constructor(
    private readonly deletion: DocumentDeletion,
    private readonly erasure: Erasure,
    private readonly deletions: RecentDeletions,
  ) {}

  async execute({
    principal,
    idOrCustomId,
    picked,
  }: DeleteDocument): Promise<Result<{ readonly id: string }, AccessRefusal>> {
    // Repeated after a lost answer, a deletion by a tag of several documents would reach the next one.
    const scope = { ...writeScope(principal, picked), isExact: true };
    const found = await this.deletion.find(scope, idOrCustomId);
    if (!found.ok && found.error === 'forbidden') return found;
    const id = found.ok ? found.value : await this.deletion.findRemoved(scope, idOrCustomId);
    if (id === null) return err('not_found');
    const name = id === idOrCustomId ? null : idOrCustomId;
    const deleted = await this.deletion.delete(scope, requestCause(actorOf(principal)), id, name);
    if (!deleted.ok) return deleted;
    const { position, memories } = deleted.value;
    const ids = [id, ...memories];
    const { organization } = scope;
    for (const one of ids) this.deletions.hide({ organization, id: one }, position);
    const erasing = Promise.all(ids.map((one) => this.erasure.erase(organization, one))).catch((error: unknown) => {
      throw new ErasureDelayedError({ deleted: 1, unerased: 1 }, { cause: error });
    });
    await Promise.allSettled([erasing, this.deletions.shown(position, VIEWS_WAIT_MS)]);
    await erasing;
    return ok({ id });
  }
}
