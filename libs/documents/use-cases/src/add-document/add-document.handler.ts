import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  customIdStream,
  DocumentRepository,
  type DocumentState,
  DocumentTexts,
  decideClaim,
  type Forbidden,
  idempotencyStream,
} from '#documents';
import { type Cause, ConcurrencyExhaustedError, requestCause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, contentHash, err, newId, ok, permits, type Result } from '#kernel';
import type { AcceptedDocument } from '../accepted-document.ts';
import { AddDocument, type AddRefusal, type NewDocument } from './add-document.command.ts';
import { decideAdd, decideAddAgain } from './decide.ts';
import { fingerprintOf } from './fingerprint.ts';
import { formerFingerprintOf } from './former-hashes.ts';
import { BACKLOG, type Backlog, STORAGE_GUARD, type StorageGuard } from './ports.ts';
import { StoredContents } from './stored-contents.ts';

type Added = Result<AcceptedDocument, AddRefusal>;

/** How long an Idempotency-Key is remembered. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** How often the text of an existing document is compared again because another request changed the document. */
const MAX_COMPARISONS = 8;

@CommandHandler(AddDocument)
export class AddDocumentHandler implements ICommandHandler<AddDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly contents: StoredContents,
    @Inject(BACKLOG) private readonly backlog: Backlog,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, actor, document, idempotencyKey }: AddDocument): Promise<Added> {
    if (typeof document.content === 'string' && document.content.trim() === '') return err('empty_content');
    if (this.backlog.full()) return err('backlog_full');
    this.storage.assertWritable();
    if (scope.tags !== 'all' && !document.tags.every((tag) => permits(scope, [tag]))) return err('forbidden');
    const cause = requestCause(actor);
    if (idempotencyKey === null) return this.#add(scope, cause, document, newId());
    return this.#addOnce(scope, cause, document, idempotencyKey);
  }

  /** Carries out the first request with a key; the same request again gets the answer of the first. */
  async #addOnce(scope: AccessScope, cause: Cause, document: NewDocument, key: string): Promise<Added> {
    const { organization } = scope;
    // Checked before the key is claimed, so that a forbidden request changes nothing.
    if (!(await this.#mayUse(scope, document.customId))) return err('forbidden');
    const fingerprint = fingerprintOf(document, key);
    const stream = idempotencyStream(organization, key);
    const claim = await this.documents.claims.change(scope, stream, cause, (state) =>
      state.status === 'free' || this.clock.now() - state.at > IDEMPOTENCY_MS
        ? ok(decideClaim(newId(), fingerprint))
        : ok([]),
    );
    if (!claim.ok || claim.value.status === 'free') throw new Error('an idempotency key could not be claimed');
    const { documentId } = claim.value;
    const known = await this.documents.load(scope, documentId);
    if (known.status === 'forbidden') return err('forbidden');
    const claimed = claim.value.fingerprint;
    if (claimed !== fingerprint && claimed !== (await formerFingerprintOf(document, key))) {
      return err('idempotency_key_reused');
    }
    if (known.status === 'live') return ok({ id: documentId, status: known.stage });
    // A repeated request does not ask for a document that was deleted since to be added again.
    if (known.status === 'deleted') return ok({ id: documentId, status: 'done' });
    // The correlation id follows from the key, so that a repeated delta is recognised in the document that received it.
    return this.#add(scope, { ...cause, correlationId: contentHash(key, fingerprint) }, document, documentId);
  }

  async #add(scope: AccessScope, cause: Cause, document: NewDocument, id: string): Promise<Added> {
    if (document.customId === null) return this.#create(scope, cause, document, id);
    const owner = await this.#claim(scope, cause, document.customId, id);
    if (!owner.ok) return owner;
    if (owner.value === id) return this.#create(scope, cause, document, id);
    const known = await this.documents.load(scope, owner.value);
    // The claim was recorded, but the process ended before the document was added: complete it.
    if (known.status === 'absent') return this.#create(scope, cause, document, owner.value);
    return this.#addAgain(scope, cause, document, owner.value, known);
  }

  /** Whether the customId is free, or the document that owns it may be written. */
  async #mayUse(scope: AccessScope, customId: string | null): Promise<boolean> {
    if (customId === null || scope.tags === 'all') return true;
    const claim = await this.documents.claims.load(customIdStream(scope.organization, customId));
    if (claim.status === 'free') return true;
    return (await this.documents.load(scope, claim.documentId)).status !== 'forbidden';
  }

  /** Returns the document that owns the customId: the one that has it, or from now on the new one. */
  async #claim(scope: AccessScope, cause: Cause, customId: string, id: string): Promise<Result<string, 'forbidden'>> {
    const stream = customIdStream(scope.organization, customId);
    const claim = await this.documents.claims.load(stream);
    let deleted: string | null = null;
    if (claim.status === 'claimed') {
      const owner = await this.documents.load(scope, claim.documentId);
      if (owner.status === 'forbidden') return err('forbidden');
      if (owner.status === 'deleted') deleted = claim.documentId;
    }
    const claimed = await this.documents.claims.change(scope, stream, cause, (state) =>
      state.status === 'free' || state.documentId === deleted ? ok(decideClaim(id, null)) : ok([]),
    );
    if (!claimed.ok || claimed.value.status === 'free') throw new Error('a customId could not be claimed');
    return ok(claimed.value.documentId);
  }

  async #create(scope: AccessScope, cause: Cause, document: NewDocument, id: string): Promise<Added> {
    const { content, tags, customId, metadata, filepath, taskType, documentDate } = document;
    const isText = typeof content === 'string';
    const events = decideAdd({
      id,
      customId,
      content: isText
        ? { text: await this.texts.store(scope.organization, id, content) }
        : await this.contents.storeFile(scope.organization, id, content),
      type: 'text',
      source: isText ? 'api' : 'upload',
      url: null,
      metadata,
      filepath,
      taskType,
      documentDate,
      sizes: isText ? { characters: content.length } : { bytes: content.size },
    });
    const created = await this.documents.create(scope, id, cause, events, tags);
    if (created.ok) return ok({ id, status: 'queued' });
    if (created.error === 'forbidden') return err('forbidden');
    return this.#addAgain(scope, cause, document, id, await this.documents.load(scope, id));
  }

  async #addAgain(
    scope: AccessScope,
    cause: Cause,
    document: NewDocument,
    id: string,
    known: DocumentState | Forbidden,
  ): Promise<Added> {
    let state = known;
    for (let comparison = 1; comparison <= MAX_COMPARISONS; comparison += 1) {
      if (state.status === 'forbidden') return err('forbidden');
      if (state.status !== 'live') return this.#add(scope, cause, document, newId());
      const compared = state.contentVersion;
      const change = await this.contents.compare(state, document.content);
      const changed = await this.documents.change(scope, id, cause, (current) => {
        if (current.status === 'live' && current.contentVersion !== compared) return err('changed');
        return decideAddAgain(current, {
          correlationId: cause.correlationId,
          metadata: document.metadata,
          tags: document.tags,
          change,
        });
      });
      if (changed.ok && changed.value.state.status === 'live') return ok({ id, status: changed.value.state.stage });
      state = await this.documents.load(scope, id);
    }
    throw new ConcurrencyExhaustedError(`The document ${id} is changed too often to compare it with what was sent`);
  }
}
