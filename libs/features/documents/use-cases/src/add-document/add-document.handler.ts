import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository, Erasure, exceedsTagLimits, removedFile } from '#features/documents';
import {
  type AcceptedContent,
  Admission,
  acceptedAs,
  IdempotencyKeys,
  type KeyedRequest,
  type Take,
} from '#features/documents/requests';
import { type AccessScope, actorOf, err, newId, ok, permitsEach, type Result, writeScope } from '#platform/kernel';
import { type Cause, requestCause } from '#ports/event-store';
import { type AnsweredDraft, JointRecorder } from '../joint-recorder.ts';
import { AddDocument, type AddRefusal, type NewDocument } from './add-document.command.ts';
import { type AddRequest, DraftedAdds } from './drafted-adds.ts';
import { fingerprintOf } from './fingerprint.ts';
import { RecentAdds } from './recent-adds.ts';
import { type NoTags, tagsOfNew } from './tags.ts';

type Added = Result<AcceptedContent, AddRefusal>;

@CommandHandler(AddDocument)
export class AddDocumentHandler implements ICommandHandler<AddDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly drafts: DraftedAdds,
    private readonly recorder: JointRecorder,
    private readonly erasure: Erasure,
    private readonly recentAdds: RecentAdds,
    private readonly keys: IdempotencyKeys,
    private readonly admission: Admission,
  ) {}

  execute(command: AddDocument): Promise<Added> {
    return this.admission.adding(
      command.principal.organization,
      (take) => this.#add(command, take),
      (added) => (added.ok && added.value.isNew ? 1 : 0),
    );
  }

  async #add({ principal, document, idempotencyKey, isRetry }: AddDocument, take: Take): Promise<Added> {
    const scope = writeScope(principal);
    const actor = actorOf(principal);
    if (typeof document.content === 'string' && document.content.trim() === '') return err('empty_content');
    if (exceedsTagLimits(document.tags)) return err('too_many_tags');
    if (!permitsEach(scope, document.tags)) return err('forbidden');
    const request = { scope, cause: requestCause(actor), isRetry };
    if (idempotencyKey !== null) return this.#addOnce(request, document, idempotencyKey, take);
    const refused = this.admission.refusal();
    if (refused !== null) return err(refused);
    if (document.customId !== null) {
      await this.#take(request, document, take);
      return this.#addTo(request, document, document.customId, null);
    }
    const hashes = this.recentAdds.hashesOf(actor, [document]);
    return this.recentAdds.inTurn(hashes, async () => {
      const [known = null] = isRetry ? await this.recentAdds.find(scope, actor, [document], hashes) : [];
      if (known !== null) return ok(known);
      await this.#take(request, document, take);
      return this.#create(request, document, hashes[0] ?? null);
    });
  }

  #take(request: AddRequest, { customId, tags }: NewDocument, take: Take): Promise<void> {
    if (customId === null) return take({ kind: 'documents', count: 1 });
    const newOnes = () => this.drafts.countNew(request, [{ customId, tags }]);
    return take({ kind: 'documents', count: 1, newOnes });
  }

  /** Adds a document that has no name, so that nothing needs to be looked up. */
  async #create({ scope, cause }: AddRequest, document: NewDocument, hash: string | null): Promise<Added> {
    const id = newId();
    const first = await this.drafts.firstEvents(scope, id, document, hash);
    if (!first.ok) return first;
    const { events, tags } = first.value;
    const created = await this.documents.create(scope, id, cause, events, tags);
    if (!created.ok && created.error === 'forbidden') return err('forbidden');
    this.recentAdds.remember(hash, id);
    return ok({ id, status: 'queued', isNew: true });
  }

  async #addOnce(request: AddRequest, document: NewDocument, key: string, take: Take): Promise<Added> {
    const { scope, cause, isRetry } = request;
    const fingerprint = await fingerprintOf(document, key);
    return this.keys.once<AddRefusal>(
      { scope, cause, key, fingerprint },
      {
        refusal: async () => {
          const refused = this.admission.refusal() ?? (await this.#refusal(scope, cause, document));
          if (refused === null) await this.#take(request, document, take);
          return refused;
        },
        carryOut: (keyed) => this.#addTo({ scope, cause: keyed.cause, isRetry }, document, document.customId, keyed),
      },
    );
  }

  /** Why the key may neither begin the document nor write the one that has its customId, or null. */
  async #refusal(scope: AccessScope, cause: Cause, { customId, tags }: NewDocument): Promise<NoTags | null> {
    if (scope.tags === 'all') return null;
    const allowed =
      customId === null
        ? tagsOfNew(scope, tags)
        : await this.drafts.open({ scope, cause }, { customId, tags }, newId());
    return allowed.ok ? null : allowed.error;
  }

  /** Adds to the document that has the customId, or makes a new one. @param keyed null: without an Idempotency-Key */
  async #addTo(
    request: AddRequest,
    document: NewDocument,
    customId: string | null,
    keyed: KeyedRequest | null,
  ): Promise<Added> {
    const { scope, cause } = request;
    const name = customId === null ? null : { customId, tags: document.tags };
    let formerFile: string | null = null;
    const draftOf = async (id: string): Promise<Result<AnsweredDraft, NoTags | 'not_a_file'>> => {
      formerFile = null;
      const opened = await (name === null
        ? this.documents.together.known(scope, id)
        : this.drafts.open(request, name, id));
      if (!opened.ok) return opened;
      const draft = opened.value;
      const { state } = draft;
      let waits = false;
      if (state.status === 'absent') {
        const begun = await this.drafts.begin(request, draft, document, null);
        if (!begun.ok) return begun;
      } else if (state.status === 'live') {
        if (typeof document.content !== 'string' && !('file' in state.content)) return err('not_a_file');
        const change = await this.drafts.compare(request, state, document);
        waits = change.kind === 'wait';
        const sent = () => (typeof document.content === 'string' ? document.content : null);
        formerFile = removedFile(await this.drafts.change(request, draft, document, change, sent));
      }
      const accepted = { ...acceptedAs(draft.id, draft.state), isNew: draft.isNew };
      return ok({ draft, answer: waits ? { ...accepted, status: 'queued' } : accepted });
    };
    const added = await this.recorder.recordOne({ scope, cause, name, keyed }, draftOf);
    if (!added.ok) return added;
    if (formerFile !== null) await this.erasure.eraseFile(formerFile);
    const { state, events } = added.value.draft;
    // The bytes of an unchanged file are stored again without an event, which would show that the document is deleted.
    if (state.status === 'live' && typeof document.content !== 'string' && events.length === 0) {
      await this.erasure.eraseIfDeleted(this.documents, scope.organization, state.id);
    }
    return ok(added.value.answer);
  }
}
