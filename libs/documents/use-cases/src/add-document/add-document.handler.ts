import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository, type Draft, Erasure, removedFile } from '#documents';
import { type Cause, requestCause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, contentHash, err, newId, ok, permitsEach, type Result } from '#kernel';
import { type AcceptedDocument, acceptedAs } from '../accepted-document.ts';
import { IdempotencyKeys } from '../idempotency-keys.ts';
import { JointRecorder } from '../joint-recorder.ts';
import { AddDocument, type AddRefusal, type NewDocument } from './add-document.command.ts';
import { type AddRequest, DraftedAdds } from './drafted-adds.ts';
import { fingerprintOf } from './fingerprint.ts';
import { formerFingerprintOf } from './former-hashes.ts';
import { BACKLOG, type Backlog, STORAGE_GUARD, type StorageGuard } from './ports.ts';
import { RecentAdds } from './recent-adds.ts';

type Added = Result<AcceptedDocument, AddRefusal>;

@CommandHandler(AddDocument)
export class AddDocumentHandler implements ICommandHandler<AddDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly drafts: DraftedAdds,
    private readonly recorder: JointRecorder,
    private readonly erasure: Erasure,
    private readonly recentAdds: RecentAdds,
    private readonly keys: IdempotencyKeys,
    @Inject(BACKLOG) private readonly backlog: Backlog,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, actor, document, idempotencyKey, isRetry }: AddDocument): Promise<Added> {
    if (typeof document.content === 'string' && document.content.trim() === '') return err('empty_content');
    if (this.backlog.full()) return err('backlog_full');
    this.storage.assertWritable();
    if (!permitsEach(scope, document.tags)) return err('forbidden');
    const request = { scope, cause: requestCause(actor), isRetry };
    if (idempotencyKey !== null) return this.#addOnce(request, document, idempotencyKey);
    if (document.customId !== null) return this.#addTo(request, document, newId());
    const [hash = null] = this.recentAdds.hashesOf(actor, [document]);
    if (isRetry && hash !== null) {
      const [known = null] = await this.recentAdds.find(scope, actor, [document], [hash]);
      if (known !== null) return ok(known);
    }
    return this.#create(request, document, hash);
  }

  /** Adds a document that has no name, so that nothing needs to be looked up. */
  async #create({ scope, cause }: AddRequest, document: NewDocument, hash: string | null): Promise<Added> {
    const id = newId();
    const events = await this.drafts.firstEvents(scope.organization, id, document, hash);
    const created = await this.documents.create(scope, id, cause, events, document.tags);
    if (!created.ok && created.error === 'forbidden') return err('forbidden');
    this.recentAdds.remember(hash, id);
    return ok({ id, status: 'queued' });
  }

  /** Carries out the first request with a key; the same request again gets the answer of the first. */
  async #addOnce({ scope, cause, isRetry }: AddRequest, document: NewDocument, key: string): Promise<Added> {
    // Checked before the key is claimed, so that a forbidden request changes nothing.
    if (!(await this.#mayUse(scope, cause, document.customId))) return err('forbidden');
    const fingerprint = fingerprintOf(document, key);
    const { documentId, fingerprint: claimed } = await this.keys.claim(scope, cause, key, fingerprint);
    const known = await this.documents.load(scope, documentId);
    if (known.status === 'forbidden') return err('forbidden');
    if (claimed !== fingerprint && claimed !== (await formerFingerprintOf(document, key))) {
      return err('idempotency_key_reused');
    }
    // A repeated request does not ask for a document that was deleted since to be added again.
    if (known.status !== 'absent') return ok(acceptedAs(documentId, known));
    // The correlation id follows from the key, so that a repeated delta is recognised in the document that received it.
    const repeatable = { ...cause, correlationId: contentHash(key, fingerprint) };
    return this.#addTo({ scope, cause: repeatable, isRetry }, document, documentId);
  }

  /** Whether the customId is free, or the document that owns it may be written. */
  async #mayUse(scope: AccessScope, cause: Cause, customId: string | null): Promise<boolean> {
    if (customId === null || scope.tags === 'all') return true;
    return (await this.documents.together.named(scope, customId, newId(), this.#moment(cause))).ok;
  }

  /** Adds to the document that has the customId, or makes a new one. @param id of a new document */
  async #addTo(request: AddRequest, document: NewDocument, id: string): Promise<Added> {
    const { scope, cause } = request;
    const { customId } = document;
    let formerFile: string | null = null;
    let waits = false;
    const make = async (): Promise<Result<Draft, 'forbidden'>> => {
      formerFile = null;
      waits = false;
      const { together } = this.documents;
      const opened = await (customId === null
        ? together.known(scope, id)
        : together.named(scope, customId, id, this.#moment(cause)));
      if (!opened.ok) return opened;
      const { state } = opened.value;
      if (state.status === 'absent') await this.drafts.begin(request, opened.value, document, null);
      // An earlier attempt is recorded. The document is not added again after its deletion.
      else if (state.status === 'live' && !state.requests.includes(cause.correlationId)) {
        const change = await this.drafts.compare(request, state, document);
        waits = change.kind === 'wait';
        formerFile = removedFile(this.drafts.change(request, opened.value, document, change));
      }
      return opened;
    };
    const [added] = await this.recorder.record(scope, cause, [{ customId, make }]);
    if (!added?.ok) return added ?? err('forbidden');
    if (formerFile !== null) await this.erasure.eraseFile(formerFile);
    const accepted = acceptedAs(added.value.id, added.value.state);
    return ok(waits ? { ...accepted, status: 'queued' } : accepted);
  }

  #moment(cause: Cause) {
    return { cause, now: this.clock.now() };
  }
}
