import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ContentInput, DocumentRepository, DocumentTexts, Erasure, removedFile } from '#features/documents';
import { type AcceptedDocument, Admission, acceptedAs } from '#features/documents/requests';
import { type AccessScope, actorOf, CLOCK, type Clock, err, ok, type Result, writeScope } from '#platform/kernel';
import { type Cause, requestCause } from '#ports/event-store';
import { JointRecorder } from '../joint-recorder.ts';
import { type DetailsUpdate, decideUpdate } from './decide.ts';
import { UpdateDocument, type UpdateRefusal } from './update-document.command.ts';

type Updated = Result<AcceptedDocument, UpdateRefusal>;

interface Change {
  readonly scope: AccessScope;
  readonly cause: Cause;
  readonly id: string;
  readonly details: DetailsUpdate;
  /** Null: the content stays. */
  readonly content: ContentInput | null;
}

@CommandHandler(UpdateDocument)
export class UpdateDocumentHandler implements ICommandHandler<UpdateDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly recorder: JointRecorder,
    private readonly erasure: Erasure,
    private readonly admission: Admission,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, idOrCustomId, update, picked }: UpdateDocument): Promise<Updated> {
    const scope = writeScope(principal, picked);
    const { content: text, ...details } = update;
    if (text !== null) {
      if (text.trim() === '') return err('empty_content');
      const refused = this.admission.refusal();
      if (refused !== null) return err(refused);
      await this.admission.assertGrowable(scope.organization);
    }
    this.admission.assertWritable();
    const found = await this.documents.find(scope, idOrCustomId);
    if (!found.ok) return found;
    const { id } = found.value;
    const content = text === null ? null : await this.texts.storeContent(scope.organization, id, text);
    const change = { scope, cause: requestCause(actorOf(principal)), id, details, content };
    const customId = details.customId ?? found.value.customId;
    const comesToName = customId !== null && (details.customId !== null || details.tags !== null);
    const updated = await (comesToName ? this.#rename(change, customId) : this.#change(change));
    // The document may have been deleted while its content was stored.
    if (!updated.ok && content !== null) await this.erasure.eraseIfDeleted(this.documents, scope.organization, id);
    return updated;
  }

  async #change({ scope, cause, id, details, content }: Change): Promise<Updated> {
    let formerFile: string | null = null;
    const changed = await this.documents.change(scope, id, cause, (state) => {
      const decided = decideUpdate(state, details, content, scope.tags);
      formerFile = decided.ok ? removedFile(decided.value.events) : null;
      return decided;
    });
    if (!changed.ok) return changed;
    if (formerFile !== null) await this.erasure.eraseFile(formerFile);
    return ok(acceptedAs(id, changed.value.state));
  }

  /**
   * The document and the claims of both names are changed together, so that a refused update claims nothing.
   * @param customId what the document has afterwards
   */
  async #rename({ scope, cause, id, details, content }: Change, customId: string): Promise<Updated> {
    let formerFile: string | null = null;
    const make = async () => {
      const moment = { cause, now: this.clock.now() };
      const draft = await this.documents.together.renamed(scope, id, { customId, tags: details.tags }, moment);
      if (!draft.ok) return draft;
      const decided = decideUpdate(draft.value.state, details, content, scope.tags);
      if (!decided.ok) return decided;
      const { events, tags } = decided.value;
      formerFile = removedFile(events);
      draft.value.add(events, { ...moment, organization: scope.organization, tags });
      return draft;
    };
    const [made] = await this.recorder.record<'not_found' | 'custom_id_taken' | 'too_many_tags'>(scope, cause, [
      { customId, make },
    ]);
    if (!made?.ok) return made ?? err('not_found');
    if (formerFile !== null) await this.erasure.eraseFile(formerFile);
    return ok(acceptedAs(id, made.value.state));
  }
}
