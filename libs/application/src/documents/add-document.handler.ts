import { createReadStream } from 'node:fs';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { BlobStore } from '#blobs';
import {
  blobFolder,
  type Cause,
  customIdStream,
  DocumentRepository,
  DocumentTexts,
  idempotencyStream,
} from '#documents';
import {
  type ContentChange,
  type ContentInput,
  compareTexts,
  type DocumentState,
  decideAdd,
  decideAddAgain,
  decideClaim,
} from '#domain';
import { actorOf, type Clock, contentHash, contentHashOf, err, newId, ok, type Result } from '#kernel';
import { BACKLOG, type Backlog, BLOB_STORE, CLOCK, STORAGE_GUARD, type StorageGuard } from '../ports.ts';
import { type Accepted, AddDocument, type AddRefusal, type NewDocument, type UploadedFile } from './add-document.ts';

/** How long an Idempotency-Key is remembered. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** How often the text of an existing document is compared anew because somebody else changed it meanwhile. */
const COMPARISONS = 8;

@CommandHandler(AddDocument)
export class AddDocumentHandler implements ICommandHandler<AddDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(BACKLOG) private readonly backlog: Backlog,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ caller, document, idempotencyKey }: AddDocument): Promise<Result<Accepted, AddRefusal>> {
    if (typeof document.content === 'string' && document.content.trim() === '') return err('empty_content');
    if (this.backlog.full()) return err('backlog_full');
    this.storage.assertWritable();
    const cause: Cause = {
      organization: caller.organization,
      actor: actorOf(caller),
      correlationId: newId(),
      causationId: null,
    };
    if (idempotencyKey === null) return ok(await this.#add(cause, document, newId()));
    return this.#addOnce(cause, document, idempotencyKey);
  }

  /** The first request with a key is carried out; the same request again answers as the first did. */
  async #addOnce(cause: Cause, document: NewDocument, key: string): Promise<Result<Accepted, AddRefusal>> {
    const fingerprint = await fingerprintOf(document, key);
    const stream = idempotencyStream(cause.organization, key);
    const claim = await this.documents.changeClaim(stream, cause, (state) =>
      state.status === 'free' || this.clock.now() - state.at > IDEMPOTENCY_MS
        ? ok(decideClaim(newId(), fingerprint))
        : ok([]),
    );
    if (!claim.ok || claim.value.status === 'free') throw new Error('an idempotency key could not be claimed');
    if (claim.value.fingerprint !== fingerprint) return err('idempotency_key_reused');
    const { documentId } = claim.value;
    const known = await this.documents.load(cause.organization, documentId);
    if (known.status === 'live') return ok({ id: documentId, status: known.stage });
    // What was added is gone again; adding it anew is not what a repeated request asks for.
    if (known.status === 'deleted') return ok({ id: documentId, status: 'done' });
    // The correlation id comes from the key, so that a repeated delta is recognised in the document that it went to.
    return ok(await this.#add({ ...cause, correlationId: contentHash(key, fingerprint) }, document, documentId));
  }

  async #add(cause: Cause, document: NewDocument, id: string): Promise<Accepted> {
    if (document.customId === null) return this.#create(cause, document, id);
    const owner = await this.#claim(cause, document.customId, id);
    if (owner === id) return this.#create(cause, document, id);
    const state = await this.documents.load(cause.organization, owner);
    // A claim whose document never came is completed by whoever finds it.
    if (state.status === 'absent') return this.#create(cause, document, owner);
    return this.#addAgain(cause, document, owner, state);
  }

  /** Who owns the customId: the document that has it, or from now on the new one. */
  async #claim(cause: Cause, customId: string, id: string): Promise<string> {
    const stream = customIdStream(cause.organization, customId);
    const claim = await this.documents.loadClaim(stream);
    const gone =
      claim.status === 'claimed' &&
      (await this.documents.load(cause.organization, claim.documentId)).status === 'deleted'
        ? claim.documentId
        : null;
    const claimed = await this.documents.changeClaim(stream, cause, (state) =>
      state.status === 'free' || state.documentId === gone ? ok(decideClaim(id, null)) : ok([]),
    );
    if (!claimed.ok || claimed.value.status === 'free') throw new Error('a customId could not be claimed');
    return claimed.value.documentId;
  }

  async #create(cause: Cause, document: NewDocument, id: string): Promise<Accepted> {
    const { content, tags, customId, metadata, filepath, taskType, documentDate } = document;
    const stored = await this.#store(cause.organization, id, content);
    const decided = decideAdd({
      id,
      customId,
      content: stored,
      type: 'text',
      source: typeof content === 'string' ? 'api' : 'upload',
      url: null,
      metadata,
      filepath,
      taskType,
      documentDate,
      sizes: typeof content === 'string' ? { characters: content.length } : { bytes: content.size },
    });
    const created = await this.documents.create(id, cause, decided, tags);
    if (created.ok) return { id, status: 'queued' };
    return this.#addAgain(cause, document, id, await this.documents.load(cause.organization, id));
  }

  async #addAgain(cause: Cause, document: NewDocument, id: string, known: DocumentState): Promise<Accepted> {
    let state = known;
    for (let comparison = 1; comparison <= COMPARISONS; comparison += 1) {
      if (state.status !== 'live') return this.#add(cause, document, newId());
      const compared = state.contentVersion;
      const change = await this.#compare(cause.organization, id, state, document.content);
      const changed = await this.documents.change(id, cause, (current) => {
        if (current.status === 'live' && current.contentVersion !== compared) return err('changed');
        return decideAddAgain(current, {
          correlationId: cause.correlationId,
          metadata: document.metadata,
          tags: document.tags,
          change,
        });
      });
      if (changed.ok && changed.value.state.status === 'live') return { id, status: changed.value.state.stage };
      state = await this.documents.load(cause.organization, id);
    }
    throw new BusyDocumentError(`the document ${id} is changed too often to compare it with what was sent`);
  }

  async #compare(
    organization: string,
    id: string,
    state: DocumentState,
    sent: NewDocument['content'],
  ): Promise<ContentChange> {
    if (state.status !== 'live') return { kind: 'none' };
    const stored = await this.texts.content(state);
    if (typeof sent !== 'string' || stored === null) {
      const content = await this.#store(organization, id, sent);
      return sameContent(state, content) ? { kind: 'none' } : { kind: 'replace', content };
    }
    const difference = compareTexts(stored, sent);
    if (difference === 'same') return { kind: 'none' };
    return { kind: 'append', text: await this.texts.store(organization, id, difference.append) };
  }

  async #store(organization: string, id: string, content: string | UploadedFile): Promise<ContentInput> {
    if (typeof content === 'string') return { text: await this.texts.store(organization, id, content) };
    const { path, name, contentType, fileType, mimeType } = content;
    const hash = await contentHashOf([createReadStream(path)]);
    const blob = `${blobFolder(organization, id)}${hash}.file`;
    const { length } = await this.blobs.put(blob, createReadStream(path));
    return { file: { blob, bytes: length, name, contentType, fileType, mimeType } };
  }
}

/** Somebody else changed the document each time that it was compared; trying again later is sound. */
export class BusyDocumentError extends Error {
  override readonly name = 'ConcurrencyExhaustedError';
}

function sameContent(state: DocumentState, content: ContentInput): boolean {
  return (
    state.status === 'live' &&
    'file' in state.content &&
    'file' in content &&
    state.content.file.blob === content.file.blob
  );
}

/**
 * Tells the same request from another. It outlives the document, so the Idempotency-Key is part of it, of which nothing but
 * a hash is stored: who has every file and not the key cannot try out what the content was.
 */
async function fingerprintOf(document: NewDocument, key: string): Promise<string> {
  const { content, ...details } = document;
  const sent = typeof content === 'string' ? content : createReadStream(content.path);
  return contentHashOf([key, sent, JSON.stringify(details)]);
}
