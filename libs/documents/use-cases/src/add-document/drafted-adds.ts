import { Inject, Injectable } from '@nestjs/common';
import { type DocumentEvent, DocumentTexts, type Draft, type Live } from '#documents';
import type { Cause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, err, ok, type Result } from '#kernel';
import type { NewDocument } from './add-document.command.ts';
import { type AddDecision, type ContentChange, decideAdd, decideAddAgain } from './decide.ts';
import type { SentText } from './joined-texts.ts';
import { StoredContents } from './stored-contents.ts';
import { type NoTags, tagsOfNew } from './tags.ts';

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
    private readonly texts: DocumentTexts,
    private readonly contents: StoredContents,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The first events of a document. Its content is durable when it resolves. @param hash as of `RecentAdds` */
  async firstEvents(
    scope: AccessScope,
    id: string,
    { content, tags: named, ...details }: NewDocument,
    hash: string | null,
  ): Promise<Result<AddDecision, NoTags>> {
    const tags = tagsOfNew(scope, named);
    if (!tags.ok) return tags;
    const { organization } = scope;
    const isText = typeof content === 'string';
    const events = decideAdd({
      ...{ ...details, id, type: 'text', source: isText ? 'api' : 'upload', url: null },
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
   * @returns the events, or why there are none
   */
  change(
    request: AddRequest,
    draft: Draft,
    { metadata, tags }: NewDocument,
    change: ContentChange,
  ): Result<readonly DocumentEvent[], 'too_many_tags'> {
    const decided = decideAddAgain(draft.state, { metadata, tags, change });
    if (!decided.ok) return decided.error === 'too_many_tags' ? err(decided.error) : ok([]);
    draft.add(decided.value.events, this.#recording(request, decided.value.tags));
    return ok(decided.value.events);
  }

  #recording({ scope: { organization }, cause }: AddRequest, tags: readonly string[]) {
    return { organization, cause, now: this.clock.now(), tags };
  }
}
