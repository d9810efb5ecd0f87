import { Inject, Injectable } from '@nestjs/common';
import {
  type DocumentEvent,
  DocumentRepository,
  DocumentTexts,
  type Draft,
  type Live,
  type NameInTags,
} from '#features/documents';
import { type AccessScope, CLOCK, type Clock, newId, ok, type Result } from '#platform/kernel';
import type { Cause } from '#ports/event-store';
import type { NewDocument } from './add-document.command.ts';
import { type ContentChange, decideAdd, decideAddAgain } from './decide.ts';
import type { SentText } from './joined-texts.ts';
import { SaidAgain } from './said-again.ts';
import { StoredContents } from './stored-contents.ts';
import { type NoTags, tagsOfNew } from './tags.ts';

/** How a document begins. */
export interface FirstEvents {
  readonly events: readonly DocumentEvent[];
  readonly tags: readonly string[];
}

/** A request that adds documents. */
export interface AddRequest {
  readonly scope: AccessScope;
  readonly cause: Cause;
  readonly isRetry: boolean;
}

/** Turns what a caller sends into the events of a document: a new one, or one that exists already (contract §3.3). */
@Injectable()
export class DraftedAdds {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly contents: StoredContents,
    private readonly saidAgain: SaidAgain,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Opens a draft of the document to which a request adds by a customId, or of a new one.
   * @param name its tags are those that the request names. @param id of a new document
   */
  async open(
    { scope, cause }: Pick<AddRequest, 'scope' | 'cause'>,
    { customId, tags: named }: NameInTags,
    id: string,
  ): Promise<Result<Draft, NoTags>> {
    const { together } = this.documents;
    const moment = { cause, now: this.clock.now() };
    const tags = tagsOfNew(scope, named);
    if (!tags.ok) return (named.length === 0 ? await together.onlyNamed(scope, customId) : null) ?? tags;
    const name = { customId, tags: tags.value };
    return named.length > 0
      ? together.named(scope, name, id, moment)
      : together.namedInAnyTags(scope, name, id, moment);
  }

  /** Counts the names that no document has yet. */
  async countNew(request: Pick<AddRequest, 'scope' | 'cause'>, names: readonly NameInTags[]): Promise<number> {
    let count = 0;
    for (const name of names) {
      const opened = await this.open(request, name, newId());
      if (opened.ok && opened.value.state.status !== 'live') count++;
    }
    return count;
  }

  /** The first events of a document. Its content is durable when it resolves. @param hash as of `RecentAdds` */
  async firstEvents(
    scope: AccessScope,
    id: string,
    { content, tags: named, source, ...details }: NewDocument,
    hash: string | null,
  ): Promise<Result<FirstEvents, NoTags>> {
    const tags = tagsOfNew(scope, named);
    if (!tags.ok) return tags;
    const { organization } = scope;
    const isText = typeof content === 'string';
    const events = decideAdd({
      ...{ ...details, id, type: 'text', source: source ?? (isText ? 'api' : 'upload'), url: null },
      content: isText
        ? await this.texts.storeContent(organization, id, content)
        : await this.contents.storeFile(organization, id, content),
      ...(hash !== null && { sent: hash }),
      sizes: isText ? { characters: content.length } : { bytes: content.size },
    });
    return ok({ events, tags: tags.value });
  }

  /** Makes the document that of a draft which is not live. */
  async begin(
    request: AddRequest,
    draft: Draft,
    document: NewDocument,
    hash: string | null,
  ): Promise<Result<null, NoTags>> {
    const first = await this.firstEvents(request.scope, draft.id, document, hash);
    if (!first.ok) return first;
    draft.add(first.value.events, this.#recording(request, first.value.tags));
    return ok(null);
  }

  /** How the content of a document changes the stored one. */
  compare({ isRetry }: AddRequest, state: Live, { content, metadata }: NewDocument): Promise<ContentChange> {
    return this.contents.compare(state, { content, metadata, isRetry });
  }

  /** As `compare`, for texts that are added one after the other. @param mark as of `StoredContents.compareEach` */
  compareEach(
    { isRetry }: AddRequest,
    state: Live,
    texts: readonly SentText[],
    mark: string,
  ): Promise<readonly ContentChange[]> {
    return this.contents.compareEach(state, texts, isRetry, mark);
  }

  /**
   * Adds a document to a draft that is live. The caller has checked that no earlier attempt has done so.
   * @param sent as of `SaidAgain.restore`
   * @returns the events
   */
  async change(
    request: AddRequest,
    draft: Draft,
    { metadata }: Pick<NewDocument, 'metadata'>,
    change: ContentChange,
    sent: () => string | null,
  ): Promise<readonly DocumentEvent[]> {
    const { state } = draft;
    if (state.status === 'live') await this.saidAgain.restore(request, state, change, sent);
    const decided = decideAddAgain(state, { metadata, change });
    if (!decided.ok || state.status !== 'live') return [];
    draft.add(decided.value, this.#recording(request, state.tags));
    return decided.value;
  }

  #recording({ scope: { organization }, cause }: AddRequest, tags: readonly string[]) {
    return { organization, cause, now: this.clock.now(), tags };
  }
}
