import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository, type Draft, type Live } from '#documents';
import { requestCause } from '#event-store';
import {
  type AccessScope,
  CLOCK,
  type Clock,
  contentHash,
  derivedId,
  err,
  newId,
  ok,
  permitsEach,
  type Result,
} from '#kernel';
import { type AcceptedDocument, acceptedAs } from '../accepted-document.ts';
import { type AddRequest, DraftedAdds } from '../add-document/drafted-adds.ts';
import { BACKLOG, type Backlog, STORAGE_GUARD, type StorageGuard } from '../add-document/ports.ts';
import { RecentAdds } from '../add-document/recent-adds.ts';
import { IdempotencyKeys } from '../idempotency-keys.ts';
import { JointRecorder } from '../joint-recorder.ts';
import { AddDocuments, type AddDocumentsRefusal, type AddedItem, type NewText } from './add-documents.command.ts';
import { type Group, groupItems, type Item } from './groups.ts';

/** A request, or an attempt of it. */
interface Request extends AddRequest {
  /** Ids for new documents, by the index of their item. */
  idOf(index: number): string;
  /** Whether an earlier attempt may have used the same ids. */
  readonly isRepeatable: boolean;
  /** Hashes of the items, as of `RecentAdds`. */
  readonly hashes: readonly (string | null)[];
  /** Documents that a former attempt has added, by the index of their item. */
  readonly known: readonly (AcceptedDocument | null)[];
}

@CommandHandler(AddDocuments)
export class AddDocumentsHandler implements ICommandHandler<AddDocuments> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly drafts: DraftedAdds,
    private readonly recorder: JointRecorder,
    private readonly recentAdds: RecentAdds,
    private readonly keys: IdempotencyKeys,
    @Inject(BACKLOG) private readonly backlog: Backlog,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({
    scope,
    actor,
    documents,
    idempotencyKey,
    isRetry,
  }: AddDocuments): Promise<Result<readonly AddedItem[], AddDocumentsRefusal>> {
    if (this.backlog.full(documents.length)) return err('backlog_full');
    this.storage.assertWritable();
    const cause = requestCause(actor);
    if (idempotencyKey !== null) return this.#addOnce({ scope, cause, isRetry }, documents, idempotencyKey);
    const hashes = this.recentAdds.hashesOf(actor, documents);
    const known = isRetry ? await this.recentAdds.find(scope, actor, documents, hashes) : [];
    const request = { scope, cause, isRetry, idOf: newId, isRepeatable: false, hashes, known };
    const added = await this.#add(request, documents);
    for (const [index, item] of added.entries()) {
      if (item.ok) this.recentAdds.remember(hashes[index] ?? null, item.value.id);
    }
    return ok(added);
  }

  /** Carries out the first request with a key; the same request again gets the answer of the first. */
  async #addOnce(
    { scope, cause, isRetry }: AddRequest,
    documents: readonly NewText[],
    key: string,
  ): Promise<Result<readonly AddedItem[], AddDocumentsRefusal>> {
    const refusals = documents.map((document) => refusalOf(scope, document));
    // A request of which nothing is permitted changes nothing.
    if (refusals.every((refusal) => refusal !== null)) return ok(refusals);
    const fingerprint = contentHash(key, JSON.stringify(documents));
    const claim = await this.keys.claim(scope, cause, key, fingerprint);
    if (claim.fingerprint !== fingerprint) return err('idempotency_key_reused');
    const { documentId: seed, documentIds } = claim;
    if (documentIds !== null) return ok(await Promise.all(documentIds.map((id) => this.#answer(scope, id))));
    const added = await this.#add(
      {
        ...{ scope, isRetry },
        // It follows from the key, so that the documents tell what an unfinished attempt has recorded.
        cause: { ...cause, correlationId: contentHash(key, fingerprint) },
        idOf: (index) => derivedId(seed, index),
        isRepeatable: true,
        ...{ hashes: [], known: [] },
      },
      documents,
    );
    const ids = added.map((item) => (item.ok ? item.value.id : null));
    await this.keys.answered(scope, cause, key, ids);
    return ok(added);
  }

  /** @param id null: the item was refused */
  async #answer(scope: AccessScope, id: string | null): Promise<AddedItem> {
    if (id === null) return err('forbidden');
    const known = await this.documents.load(scope, id);
    if (known.status === 'forbidden') return err('forbidden');
    return ok(acceptedAs(id, known));
  }

  async #add(request: Request, documents: readonly NewText[]): Promise<readonly AddedItem[]> {
    const { scope, cause, known } = request;
    const answers = documents.map((document, index) => {
      const before = known[index];
      return before ? ok(before) : refusalOf(scope, document);
    });
    const added: AddedItem[] = answers.map((answer) => answer ?? err('forbidden'));
    const groups = groupItems(documents.flatMap((document, index) => (answers[index] ? [] : { index, document })));
    const makers = groups.map((group) => ({ customId: group.customId, make: () => this.#draft(request, group) }));
    const drafts = await this.recorder.record(scope, cause, makers);
    for (const [at, group] of groups.entries()) {
      const draft = drafts[at];
      if (draft === undefined) continue;
      for (const { index } of group.items)
        added[index] = draft.ok ? ok(acceptedAs(draft.value.id, draft.value.state)) : draft;
    }
    return added;
  }

  async #draft(request: Request, group: Group): Promise<Result<Draft, 'forbidden'>> {
    const { cause } = request;
    const opened = await this.#open(request, group);
    if (!opened.ok) return opened;
    const { state } = opened.value;
    // An earlier attempt has recorded the group, which is one append. It is not added again after a deletion.
    if (state.status === 'deleted') return opened;
    if (state.status === 'live' && state.requests.includes(cause.correlationId)) return opened;
    const together = group.items.length > 1 ? hashOf(group) : null;
    const isRepeated = request.isRetry && together !== null && state.status === 'live' && isLast(state, together);
    for (const item of group.items) {
      if (isRepeated) this.drafts.change(request, opened.value, item.document, { kind: 'none', isRepeated });
      else await this.#apply(request, opened.value, item, together);
    }
    return opened;
  }

  async #open(request: Request, { customId, items: [first] }: Group): Promise<Result<Draft, 'forbidden'>> {
    const { scope, cause, isRepeatable } = request;
    const id = request.idOf(first.index);
    const { together } = this.documents;
    if (customId !== null) return together.named(scope, customId, id, { cause, now: this.clock.now() });
    return isRepeatable ? together.known(scope, id) : ok(together.unnamed(id));
  }

  /** @param together identifies all items with the customId; null: there is one */
  async #apply(request: Request, draft: Draft, { document, index }: Item, together: string | null): Promise<void> {
    const { state } = draft;
    if (state.status !== 'live') return this.drafts.begin(request, draft, document, request.hashes[index] ?? null);
    const change = await this.drafts.compare(request, state, document);
    // By it a retry recognises all items at once, also those that were no deltas.
    const marked = change.kind === 'append' && together !== null ? { ...change, sent: together } : change;
    this.drafts.change(request, draft, document, marked);
  }
}

/** Identifies the items with one customId among the requests for its document. */
const hashOf = ({ items }: Group): string => contentHash(...items.map(({ document }) => document.content)).slice(0, 32);

/** Whether the last write to the document was that of a request with these items. */
const isLast = ({ deltas }: Live, together: string): boolean => deltas?.hashes.includes(together) ?? false;

function refusalOf(scope: AccessScope, { content, tags }: NewText): Extract<AddedItem, { readonly ok: false }> | null {
  if (content.trim() === '') return err('empty_content');
  return permitsEach(scope, tags) ? null : err('forbidden');
}
