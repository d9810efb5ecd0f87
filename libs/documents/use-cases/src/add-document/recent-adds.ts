import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type AddedState, DocumentRepository, refersTo } from '#documents';
import { type AccessScope, CLOCK, type Clock, contentHash } from '#kernel';
import { CurrentViews } from '#views';
import type { AcceptedDocument } from '../accepted-document.ts';
import { sameMetadata } from '../metadata.ts';
import { isSameList } from '../same-list.ts';
import type { NewDocument } from './add-document.command.ts';
import { isStoredFile } from './stored-contents.ts';

/** How long a repeated add is recognised. */
const WINDOW_MS = 10 * 60_000;

/** Adds of this process that are found without the views: however much was added since, and while these are behind. */
const REMEMBERED = 20_000;

/** Documents of the views, the newest first, that are compared. */
const COMPARED_ROWS = 200;

/** Characters of each end of a text that tell it from others; candidates are compared as a whole. */
const END_CHARACTERS = 256;

/**
 * Recognises the retry of an add that has neither a customId nor an Idempotency-Key. Nothing is recorded for this: the
 * documents that the log and the views have are compared with what was sent.
 */
@Injectable()
export class RecentAdds {
  readonly #ids = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(
    private readonly documents: DocumentRepository,
    private readonly views: CurrentViews,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Of an add that was carried out. */
  remember(actor: string, document: NewDocument, id: string): void {
    this.#ids.set(keyOf(actor, document), id);
  }

  /** Returns the newest document that this caller added within the last ten minutes with the same fields, or null. */
  async find(scope: AccessScope, actor: string, document: NewDocument): Promise<AcceptedDocument | null> {
    for await (const id of this.#candidates(scope, actor, document)) {
      const added = await this.documents.asAdded(scope, id);
      if (added === null || added.actor !== actor || !this.#isRecent(added.document.createdAt)) continue;
      if (isSame(added, document)) return { id, status: added.present.stage };
    }
    return null;
  }

  async *#candidates(scope: AccessScope, actor: string, document: NewDocument): AsyncGenerator<string> {
    const remembered = this.#ids.get(keyOf(actor, document));
    if (remembered !== undefined) yield remembered;
    const views = await this.views.read();
    const { rows } = await views.list({
      scope: { organization: scope.organization, tags: document.tags },
      ...{ filter: null, filepath: null, stages: null },
      ...{ sort: 'createdAt', order: 'desc', offset: 0, limit: COMPARED_ROWS },
    });
    for (const { id, createdAt } of rows) if (id !== remembered && this.#isRecent(createdAt)) yield id;
  }

  #isRecent(at: number): boolean {
    return this.clock.now() - at <= WINDOW_MS;
  }
}

function keyOf(actor: string, { content, tags }: NewDocument): string {
  if (typeof content !== 'string') return contentHash(actor, ...tags, 'file', content.sha256);
  const ends = [content.slice(0, END_CHARACTERS), content.slice(-END_CHARACTERS)];
  return contentHash(actor, ...tags, 'text', String(content.length), ...ends);
}

function isSame({ document: stored }: AddedState, sent: NewDocument): boolean {
  const { content, tags, metadata } = sent;
  return (
    stored.customId === null &&
    stored.filepath === sent.filepath &&
    stored.taskType === sent.taskType &&
    stored.documentDate === sent.documentDate &&
    isSameList(stored.tags, tags) &&
    (metadata === null ? stored.metadata === null : sameMetadata(metadata, stored.metadata)) &&
    isSameContent(stored.content, content)
  );
}

function isSameContent(stored: AddedState['document']['content'], sent: NewDocument['content']): boolean {
  if (typeof sent !== 'string') return 'file' in stored && isStoredFile(stored.file, sent);
  if (!('parts' in stored)) return false;
  const [only] = stored.parts;
  return only !== undefined && refersTo(only, sent);
}
