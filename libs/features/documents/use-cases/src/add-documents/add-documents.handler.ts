import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AnsweredItem, DocumentRepository, type Draft, exceedsTagLimits, type Live } from '#features/documents';
import {
  type AcceptedContent,
  Admission,
  acceptedAs,
  IdempotencyKeys,
  type KeyedRequest,
  type RecordedAnswer,
  type Take,
} from '#features/documents/requests';
import {
  type AccessScope,
  actorOf,
  contentHashOf,
  err,
  jsonPieces,
  newId,
  ok,
  permitsEach,
  type Result,
  writeScope,
} from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import type { Stage } from '#read-side/views';
import type { ContentChange } from '../add-document/decide.ts';
import { type AddRequest, DraftedAdds } from '../add-document/drafted-adds.ts';
import { RecentAdds } from '../add-document/recent-adds.ts';
import type { NoTags } from '../add-document/tags.ts';
import { JointRecorder } from '../joint-recorder.ts';
import { AddDocuments, type AddDocumentsRefusal, type AddedItem, type NewText } from './add-documents.command.ts';
import { type Group, groupItems, type Item, lastMetadata, roundsOf } from './groups.ts';

/** A request, or an attempt of it. */
interface Request extends AddRequest {
  /** Null: without an Idempotency-Key. */
  readonly keyed: KeyedRequest | null;
  /** Hashes of the items, as of `RecentAdds`. */
  readonly hashes: readonly (string | null)[];
  /** Documents that a former attempt has added, by the index of their item. */
  readonly known: readonly (AcceptedContent | null)[];
}

type AddedItems = Result<readonly AddedItem[], AddDocumentsRefusal>;

/** What another attempt of the request has recorded. */
type Earlier = Map<Group, RecordedAnswer>;

type ItemRefusal = Extract<AddedItem, { readonly ok: false }>['error'];
type RecordedItem = Result<RecordedAnswer, ItemRefusal>;

@CommandHandler(AddDocuments)
export class AddDocumentsHandler implements ICommandHandler<AddDocuments> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly drafts: DraftedAdds,
    private readonly recorder: JointRecorder,
    private readonly recentAdds: RecentAdds,
    private readonly keys: IdempotencyKeys,
    private readonly admission: Admission,
  ) {}

  execute(command: AddDocuments): Promise<AddedItems> {
    return this.admission.adding(
      command.principal.organization,
      (take) => this.#carryOut(command, take),
      (added) => (added.ok ? added.value.filter((item) => item.ok && item.value.isNew).length : 0),
    );
  }

  async #carryOut({ principal, documents, idempotencyKey, isRetry }: AddDocuments, take: Take): Promise<AddedItems> {
    const scope = writeScope(principal);
    const actor = actorOf(principal);
    const cause = requestCause(actor);
    if (idempotencyKey !== null) return this.#addOnce({ scope, cause, isRetry }, documents, idempotencyKey, take);
    const refused = this.admission.refusal(documents.length);
    if (refused !== null) return err(refused);
    const hashes = this.recentAdds.hashesOf(actor, documents);
    return this.recentAdds.inTurn(hashes, async () => {
      const known = isRetry ? await this.recentAdds.find(scope, actor, documents, hashes) : [];
      const request = { scope, cause, isRetry, keyed: null, hashes, known };
      await this.#take(
        request,
        documents.filter((_, index) => !known[index]),
        take,
      );
      const added = (await this.#add(request, documents)).map(withoutRevision);
      for (const [index, item] of added.entries()) {
        if (item.ok) this.recentAdds.remember(hashes[index] ?? null, item.value.id);
      }
      return ok(added);
    });
  }

  /** Carries out the first request with a key; the same request again gets the answer of the first. */
  async #addOnce(request: AddRequest, documents: readonly NewText[], key: string, take: Take): Promise<AddedItems> {
    const { scope, cause, isRetry } = request;
    const refusals = documents.map((document) => refusalOf(scope, document));
    // A request of which nothing is permitted changes nothing.
    if (refusals.every((refusal) => refusal !== null)) return ok(refusals);
    const refusal = async () => {
      const refused = this.admission.refusal(documents.length);
      if (refused === null) await this.#take(request, documents, take);
      return refused;
    };
    const fingerprint = await contentHashOf([key, jsonPieces(documents)]);
    const opened = await this.keys.open({ scope, cause, key, fingerprint }, refusal);
    if (!opened.ok) return opened;
    const keyed = opened.value;
    if (keyed.fingerprint !== fingerprint) return err('idempotency_key_reused');
    if (keyed.answer !== null) return ok(await this.#answersTo(scope, keyed, keyed.answer));
    const refused = keyed.isRepeated ? await refusal() : null;
    if (refused !== null) return err(refused);
    const added = await this.#add({ scope, cause: keyed.cause, isRetry, keyed, hashes: [], known: [] }, documents);
    // Nothing is recorded, so the same request may be carried out later.
    if (added.every((item) => !item.ok)) return ok(added.map(withoutRevision));
    const faster = await keyed.remember(
      added.map((item) =>
        item.ok
          ? { documentId: item.value.id, status: item.value.status, revision: item.value.revision }
          : { documentId: null, status: item.error, revision: null },
      ),
    );
    return ok(faster === null ? added.map(withoutRevision) : await this.#answersTo(scope, keyed, faster));
  }

  /** Those that are refused anyway are given back. */
  async #take(request: AddRequest, documents: readonly NewText[], take: Take): Promise<void> {
    const names = documents.flatMap(({ customId, tags }) => (customId === null ? [] : [{ customId, tags }]));
    const unnamed = documents.length - names.length;
    const different = [...new Map(names.map((name) => [JSON.stringify(name), name])).values()];
    const newOnes = async () => unnamed + (await this.drafts.countNew(request, different));
    if (documents.length > 0) await take({ kind: 'documents', count: documents.length, newOnes });
  }

  #answersTo(scope: AccessScope, keyed: KeyedRequest, answer: readonly AnsweredItem[]): Promise<readonly AddedItem[]> {
    return Promise.all(
      answer.map(async ({ documentId, status }, index): Promise<AddedItem> => {
        if (documentId === null) return err(status as ItemRefusal);
        const isPermitted =
          scope.tags === 'all' || (await this.documents.load(scope, documentId)).status !== 'forbidden';
        const isNew = documentId === keyed.idOf(index);
        return isPermitted ? ok({ id: documentId, status: status as Stage, isNew }) : err('forbidden');
      }),
    );
  }

  async #add(request: Request, documents: readonly NewText[]): Promise<readonly RecordedItem[]> {
    const { scope, cause, known } = request;
    const answers = documents.map((document, index) => {
      const before = known[index];
      return before ? ok({ ...before, revision: null }) : refusalOf(scope, document);
    });
    const added: RecordedItem[] = answers.map((answer) => answer ?? err('forbidden'));
    const groups = groupItems(documents.flatMap((document, index) => (answers[index] ? [] : { index, document })));
    const earlier: Earlier = new Map();
    for (const round of roundsOf(groups)) {
      const makers = round.map((group) => ({
        customId: group.name?.customId ?? null,
        make: () => this.#draft(request, group, earlier),
      }));
      const drafts = await this.recorder.record<NoTags>(scope, cause, makers);
      for (const [at, group] of round.entries()) {
        const draft = drafts[at];
        if (draft === undefined) continue;
        const recorded = draft.ok ? ok(earlier.get(group) ?? recordedAs(draft.value)) : draft;
        for (const [place, { index }] of group.items.entries()) {
          added[index] = recorded.ok ? ok({ ...recorded.value, isNew: recorded.value.isNew && place === 0 }) : recorded;
        }
      }
    }
    return added;
  }

  async #draft(request: Request, group: Group, earlier: Earlier): Promise<Result<Draft, NoTags>> {
    const { scope, keyed } = request;
    const { name, items } = group;
    const { together } = this.documents;
    const [{ index }] = items;
    const prepared = await keyed?.prepare(name, index, keyed.idOf(index));
    if (prepared?.earlier) {
      earlier.set(group, prepared.earlier);
      return together.known(scope, prepared.earlier.id);
    }
    const id = prepared?.id ?? newId();
    const opened = name === null ? ok(together.unnamed(id)) : await this.drafts.open(request, name, id);
    if (!opened.ok) return opened;
    const sent = items.length > 1 ? await hashOf(group) : null;
    return this.#apply(request, opened.value, items, sent);
  }

  /** @param together identifies all items with the customId; null: there is one */
  async #apply(
    request: Request,
    draft: Draft,
    items: readonly [Item, ...Item[]],
    together: string | null,
  ): Promise<Result<Draft, NoTags>> {
    const [first] = items;
    const document = { ...first.document, metadata: lastMetadata(items) };
    const isNew = draft.state.status !== 'live';
    if (isNew) {
      const begun = await this.drafts.begin(request, draft, document, request.hashes[first.index] ?? null);
      if (!begun.ok) return begun;
    }
    const { state } = draft;
    const texts = items.slice(isNew ? 1 : 0).map((item) => item.document);
    if (state.status !== 'live' || texts.length === 0) return ok(draft);
    // The texts are compared with the document as the first item has left it.
    const compared = isNew ? { ...state, metadata: first.document.metadata } : state;
    const changes = await this.#changes(request, compared, texts, together);
    const sent = () => texts.map(({ content }) => content).join('\n');
    for (const [i, change] of changes.entries()) {
      await this.drafts.change(request, draft, i === 0 ? document : { metadata: null }, change, sent);
    }
    return ok(draft);
  }

  async #changes(
    request: Request,
    state: Live,
    texts: readonly NewText[],
    together: string | null,
  ): Promise<readonly ContentChange[]> {
    if (together !== null && request.isRetry && isLast(state, together)) return [{ kind: 'none', isRepeated: true }];
    if (together !== null) return this.drafts.compareEach(request, state, texts, together);
    return Promise.all(texts.map((text) => this.drafts.compare(request, state, text)));
  }
}

const recordedAs = (draft: Draft): RecordedAnswer => ({
  ...acceptedAs(draft.id, draft.state),
  isNew: draft.isNew,
  revision: draft.revision,
});

const withoutRevision = (item: RecordedItem): AddedItem =>
  item.ok ? ok({ id: item.value.id, status: item.value.status, isNew: item.value.isNew }) : item;

/** Identifies the items with one customId among the requests for its document. */
const hashOf = async ({ items }: Group): Promise<string> =>
  (await contentHashOf(items.map(({ document }) => document.content))).slice(0, 32);

/** Whether the last write to the document was that of a request with these items. */
const isLast = ({ deltas }: Live, together: string): boolean => deltas?.hashes.includes(together) ?? false;

function refusalOf(scope: AccessScope, { content, tags }: NewText): Extract<AddedItem, { readonly ok: false }> | null {
  if (content.trim() === '') return err('empty_content');
  if (exceedsTagLimits(tags)) return err('too_many_tags');
  return permitsEach(scope, tags) ? null : err('forbidden');
}
