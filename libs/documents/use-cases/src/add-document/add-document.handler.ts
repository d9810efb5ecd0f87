import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  awaitsReading,
  customIdStream,
  DocumentRepository,
  DocumentTexts,
  Erasure,
  isAbandoned,
  type Live,
  removedFile,
} from '#documents';
import { type Cause, ConcurrencyExhaustedError, requestCause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, contentHash, err, newId, ok, permitsEach, type Result } from '#kernel';
import { type AcceptedDocument, acceptedAs } from '../accepted-document.ts';
import { IdempotencyKeys } from '../idempotency-keys.ts';
import { KeyedQueue } from '../keyed-queue.ts';
import { AddDocument, type AddRefusal, type NewDocument } from './add-document.command.ts';
import { decideAdd, decideAddAgain } from './decide.ts';
import { fingerprintOf } from './fingerprint.ts';
import { formerFingerprintOf } from './former-hashes.ts';
import { BACKLOG, type Backlog, STORAGE_GUARD, type StorageGuard } from './ports.ts';
import { RecentAdds } from './recent-adds.ts';
import { StoredContents } from './stored-contents.ts';

/** `hash`: of the request, as of `RecentAdds`; null: it has another name. */
type SentDocument = NewDocument & { readonly isRetry: boolean; readonly hash: string | null };

type Added = Result<AcceptedDocument, AddRefusal>;

/** How often the text of an existing document is compared again because another request changed the document. */
const MAX_COMPARISONS = 8;
/** Upper limit of the pause before the next comparison; adds in other processes are in time then. */
const COMPARISON_PAUSE_MS = 20;

/** How often a customId is looked up that is being given to another document, and the pause between two. */
const MAX_LOOKS = 20;
const RENAME_TAKES_MS = 25;

@CommandHandler(AddDocument)
export class AddDocumentHandler implements ICommandHandler<AddDocument> {
  readonly #comparisons = new KeyedQueue();

  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly contents: StoredContents,
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
    const cause = requestCause(actor);
    if (idempotencyKey !== null) {
      return this.#addOnce(scope, cause, { ...document, isRetry, hash: null }, idempotencyKey);
    }
    const [hash = null] = this.recentAdds.hashesOf(actor, [document]);
    if (isRetry && hash !== null) {
      const [known = null] = await this.recentAdds.find(scope, actor, [document], [hash]);
      if (known !== null) return ok(known);
    }
    const added = await this.#add(scope, cause, { ...document, isRetry, hash }, newId());
    if (added.ok) this.recentAdds.remember(hash, added.value.id);
    return added;
  }

  /** Carries out the first request with a key; the same request again gets the answer of the first. */
  async #addOnce(scope: AccessScope, cause: Cause, document: SentDocument, key: string): Promise<Added> {
    // Checked before the key is claimed, so that a forbidden request changes nothing.
    if (!(await this.#mayUse(scope, document.customId))) return err('forbidden');
    const { isRetry: _, hash: __, ...details } = document;
    const fingerprint = fingerprintOf(details, key);
    const { documentId, fingerprint: claimed } = await this.keys.claim(scope, cause, key, fingerprint);
    const known = await this.documents.load(scope, documentId);
    if (known.status === 'forbidden') return err('forbidden');
    if (claimed !== fingerprint && claimed !== (await formerFingerprintOf(details, key))) {
      return err('idempotency_key_reused');
    }
    // A repeated request does not ask for a document that was deleted since to be added again.
    if (known.status !== 'absent') return ok(acceptedAs(documentId, known));
    // The correlation id follows from the key, so that a repeated delta is recognised in the document that received it.
    return this.#add(scope, { ...cause, correlationId: contentHash(key, fingerprint) }, document, documentId);
  }

  async #add(scope: AccessScope, cause: Cause, document: SentDocument, id: string): Promise<Added> {
    let owner = id;
    if (document.customId !== null) {
      const claimed = await this.#claim(scope, cause, document.customId, id);
      if (!claimed.ok) return claimed;
      owner = claimed.value;
    }
    const created = owner === id ? await this.#create(scope, cause, document, id) : null;
    return created ?? this.#addAgain(scope, cause, document, owner);
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
    for (let look = 1; look <= MAX_LOOKS; look += 1) {
      const claim = await this.documents.claims.load(stream);
      let vacant: string | null = null;
      if (claim.status === 'claimed') {
        const owner = await this.documents.load(scope, claim.documentId);
        if (owner.status === 'forbidden') return err('forbidden');
        const isRenamed = owner.status === 'live' && owner.customId !== customId;
        if (isRenamed && !isAbandoned(claim, this.clock.now())) {
          await pause(RENAME_TAKES_MS);
          continue;
        }
        if (isRenamed || owner.status === 'deleted') vacant = claim.documentId;
      }
      const claimOf = { documentId: id, fingerprint: null };
      const taken = await this.documents.claims.take(scope, stream, cause, claimOf, (now) => now.documentId === vacant);
      return ok(taken.documentId);
    }
    throw new ConcurrencyExhaustedError('The customId is being given to another document, or taken from one');
  }

  /** @returns null: the document exists already */
  async #create(scope: AccessScope, cause: Cause, document: SentDocument, id: string): Promise<Added | null> {
    const { content, tags, customId, metadata, filepath, taskType, documentDate, hash } = document;
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
      ...(hash !== null && { sent: hash }),
      sizes: isText ? { characters: content.length } : { bytes: content.size },
    });
    const created = await this.documents.create(scope, id, cause, events, tags);
    if (created.ok) return ok({ id, status: 'queued' });
    return created.error === 'forbidden' ? err('forbidden') : null;
  }

  /** Adds of this process to one document are compared one after the other; otherwise all but one would be in vain. */
  #addAgain(scope: AccessScope, cause: Cause, document: SentDocument, id: string): Promise<Added> {
    return this.#comparisons.run(`${scope.organization} ${id}`, () => this.#compareAndAdd(scope, cause, document, id));
  }

  async #compareAndAdd(scope: AccessScope, cause: Cause, document: SentDocument, id: string): Promise<Added> {
    for (let comparison = 1; comparison <= MAX_COMPARISONS; comparison += 1) {
      const state = await this.documents.load(scope, id);
      if (state.status === 'forbidden') return err('forbidden');
      if (state.status === 'absent') {
        // The claim was recorded, but the process ended before the document was added: complete it.
        const created = await this.#create(scope, cause, document, id);
        if (created !== null) return created;
        continue;
      }
      if (state.status === 'deleted') return this.#add(scope, cause, document, newId());
      const compared = state;
      const { correlationId } = cause;
      const { metadata, tags } = document;
      const change = await this.contents.compare(compared, document);
      let formerFile: string | null = null;
      const changed = await this.documents.change(scope, id, cause, (current) => {
        if (current.status === 'live' && !isComparable(current, compared)) return err('changed');
        const decided = decideAddAgain(current, { correlationId, metadata, tags, change });
        formerFile = decided.ok ? removedFile(decided.value.events) : null;
        return decided;
      });
      if (formerFile !== null && changed.ok) await this.erasure.eraseFile(formerFile);
      if (changed.ok && changed.value.state.status === 'live') {
        return ok({ id, status: change.kind === 'wait' ? 'queued' : changed.value.state.stage });
      }
      await pause(randomInt(COMPARISON_PAUSE_MS));
    }
    throw new ConcurrencyExhaustedError(`The document ${id} is changed too often to compare it with what was sent`);
  }
}

/** Whether what was found out about one state is true of the other. */
const isComparable = (current: Live, compared: Live): boolean =>
  current.contentVersion === compared.contentVersion && awaitsReading(current) === awaitsReading(compared);
