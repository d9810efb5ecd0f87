import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository, DocumentTexts, Erasure, removedFile } from '#documents';
import { type Cause, requestCause } from '#event-store';
import { type AccessScope, err, ok, type Result } from '#kernel';
import type { AcceptedDocument } from '../accepted-document.ts';
import { BACKLOG, type Backlog, STORAGE_GUARD, type StorageGuard } from '../add-document/ports.ts';
import { CustomIds } from './custom-ids.ts';
import { decideUpdate } from './decide.ts';
import { type DocumentUpdate, UpdateDocument, type UpdateRefusal } from './update-document.command.ts';

type Updated = Result<AcceptedDocument, UpdateRefusal>;

@CommandHandler(UpdateDocument)
export class UpdateDocumentHandler implements ICommandHandler<UpdateDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly customIds: CustomIds,
    private readonly erasure: Erasure,
    @Inject(BACKLOG) private readonly backlog: Backlog,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
  ) {}

  async execute({ scope, actor, idOrCustomId, update }: UpdateDocument): Promise<Updated> {
    if (update.content !== null) {
      if (update.content.trim() === '') return err('empty_content');
      if (this.backlog.full()) return err('backlog_full');
    }
    this.storage.assertWritable();
    const found = await this.documents.find(scope, idOrCustomId);
    if (!found.ok) return found;
    const { id } = found.value;
    const cause = requestCause(actor);
    const { customId } = update;
    if (customId === null || customId === found.value.customId) return this.#update(scope, cause, id, update);
    if (!(await this.customIds.claim(scope, cause, customId, id))) return err('custom_id_taken');
    const updated = await this.#update(scope, cause, id, update);
    // A refused update must not keep the name.
    if (!updated.ok) await this.customIds.release(scope, cause, customId, id);
    return updated;
  }

  async #update(
    scope: AccessScope,
    cause: Cause,
    id: string,
    { content, ...details }: DocumentUpdate,
  ): Promise<Updated> {
    const stored = content === null ? null : { text: await this.texts.store(scope.organization, id, content) };
    let formerName: string | null = null;
    let formerFile: string | null = null;
    const changed = await this.documents.change(scope, id, cause, (state) => {
      formerName = state.status === 'live' ? state.customId : null;
      const decided = decideUpdate(state, details, stored, scope.tags);
      formerFile = decided.ok ? removedFile(decided.value.events) : null;
      return decided;
    });
    if (!changed.ok) return changed;
    if (formerFile !== null) await this.erasure.eraseFile(formerFile);
    const { state } = changed.value;
    if (state.status !== 'live') return err('not_found');
    if (details.customId !== null && formerName !== null && formerName !== details.customId) {
      await this.customIds.release(scope, cause, formerName, id);
    }
    return ok({ id, status: state.stage });
  }
}
