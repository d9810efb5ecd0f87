import {
  type AnsweredItem,
  type Claimed,
  claimChange,
  type DocumentRepository,
  type Draft,
  decideAnswer,
  idempotencyStream,
  type NameInTags,
} from '#features/documents';
import { type AccessScope, type Clock, contentHash, derivedId, haveSameTags, ok } from '#platform/kernel';
import type { Cause, Loaded } from '#ports/event-store';
import type { Stage } from '#read-side/views';
import type { AcceptedContent } from './accepted-document.ts';

/** A request with an Idempotency-Key. */
export interface KeyRequest {
  readonly scope: AccessScope;
  readonly cause: Cause;
  readonly key: string;
  /** Distinguishes the request from others with the same key; it cannot be computed without the key. */
  readonly fingerprint: string;
}

/** What an attempt has recorded. `revision` of the document's stream after it. */
export type RecordedAnswer = AcceptedContent & { readonly revision: number | null };

export interface Prepared {
  /** Of the document, if it is a new one. */
  readonly id: string;
  /** What another attempt was answered or has recorded. Null: nothing yet. */
  readonly earlier: RecordedAnswer | null;
}

/** A request that has claimed its key: in this attempt, in an earlier one, or in one that runs at the same time. */
export class KeyedRequest {
  /** It follows from the key, so that the documents tell what another attempt has recorded. */
  readonly cause: Cause;
  /** Whether another attempt has claimed the key. */
  readonly isRepeated: boolean;
  readonly #scope: AccessScope;
  readonly #stream: string;
  readonly #documents: DocumentRepository;
  readonly #clock: Clock;
  readonly #made = new Set<number>();
  #claim: Loaded<Claimed>;

  constructor(
    documents: DocumentRepository,
    clock: Clock,
    { scope, cause, key }: KeyRequest,
    claim: Loaded<Claimed>,
    isRepeated: boolean,
  ) {
    this.#documents = documents;
    this.#clock = clock;
    this.#scope = scope;
    this.#stream = idempotencyStream(scope.organization, key);
    this.#claim = claim;
    this.isRepeated = isRepeated;
    this.cause = { ...cause, correlationId: contentHash(key, claim.state.fingerprint ?? '') };
  }

  /** Of the document that the request adds, if it is a new one. */
  get id(): string {
    return this.#claim.state.documentId;
  }

  /** Of the new document of one item of several. @param index of the item */
  idOf(index: number): string {
    return derivedId(this.id, index);
  }

  get fingerprint(): string | null {
    return this.#claim.state.fingerprint;
  }

  /** Null: not answered yet, or it has added the document with the id. */
  get answer(): readonly AnsweredItem[] | null {
    return this.#claim.state.answer;
  }

  /**
   * Finds out how an item is to be carried out. To be called each time that its draft is made; reads nothing the first time
   * of a request that no other attempt has begun.
   * @param name by which the item names its document, with the tags that it names; null: by none
   * @param id of the document, if it is a new one
   */
  async prepare(name: NameInTags | null, index = 0, id = this.id): Promise<Prepared> {
    const isFirst = !this.isRepeated && !this.#made.has(index);
    this.#made.add(index);
    if (isFirst) return { id, earlier: null };
    await this.#refresh();
    const item = this.answer?.[index];
    if (item !== undefined) {
      const answered = { ...item, id: item.documentId ?? id, status: item.status as Stage };
      return { id, earlier: { ...answered, isNew: answered.id === id } };
    }
    const recorded = await this.#recordedIn(id);
    if (recorded?.isUndone) return this.prepare(name, index, derivedId(id, index));
    if (recorded) return { id, earlier: { ...recorded, id, isNew: true } };
    for (const owner of name === null ? [] : await this.#documents.ownersOf(this.#scope, name)) {
      const change = await this.#recordedIn(owner);
      if (change === null || change.isUndone) continue;
      // Another item of the request may have added to the document of this customId in other tags.
      const isOwn = name?.tags.length === 0 || haveSameTags(change.tags, name?.tags ?? []);
      if (isOwn) return { id, earlier: { ...change, id: owner, isNew: false } };
    }
    return { id, earlier: null };
  }

  #recordedIn(id: string) {
    return this.#documents.requestIn(this.#scope, id, this.cause.correlationId);
  }

  /**
   * Has the answer recorded with the draft of a document that existed before. That of a document which the request adds
   * follows from the claim.
   */
  rememberIn(draft: Draft, status: Stage): void {
    if (draft.id === this.id) return;
    const items = [{ documentId: draft.id, status, revision: draft.revision }];
    const events = decideAnswer(this.#claim.state, items);
    const moment = { cause: this.cause, now: this.#clock.now() };
    if (events.length > 0) draft.remember(claimChange(this.#scope, this.#stream, this.#claim, events, moment));
  }

  /** Records the answer. @returns that of another attempt if it was faster; null: this one holds */
  async remember(items: readonly AnsweredItem[]): Promise<readonly AnsweredItem[] | null> {
    let isFirst = false;
    const changed = await this.#documents.claims.change(this.#scope, this.#stream, this.cause, (state) => {
      const events = decideAnswer(state, items);
      isFirst = events.length > 0;
      return ok(events);
    });
    if (isFirst || !changed.ok || changed.value.state.status === 'free') return null;
    return changed.value.state.answer;
  }

  /** Another attempt may have recorded the answer in the meantime. */
  async #refresh(): Promise<void> {
    const { state, revision } = await this.#documents.claims.open(this.#stream);
    if (state.status === 'claimed') this.#claim = { state, revision };
  }
}
