import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { type AddedState, DocumentRepository, lossIn, refersTo } from '#features/documents';
import type { AcceptedContent } from '#features/documents/requests';
import { type AccessScope, CLOCK, type Clock, contentHash, giveWay, type JsonObject } from '#platform/kernel';
import { type RecordedEvent, StreamQueues } from '#ports/event-store';
import { CurrentViews } from '#read-side/views';
import { sameMetadata } from '../metadata.ts';
import { isSameList } from '../same-list.ts';
import type { NewDocument } from './add-document.command.ts';
import { isStoredFile } from './stored-contents.ts';
import { tagsOfNew } from './tags.ts';

/** How long a repeated add is recognised. */
const WINDOW_MS = 10 * 60_000;
/** The clocks of other processes may be ahead of this one. */
const AHEAD_MS = 60_000;

/** Adds of this process that are found without the views. */
const REMEMBERED = 20_000;

/** Characters of each end of a text that tell it from others; candidates are compared as a whole. */
const END_CHARACTERS = 256;
const HASH_DIGITS = 16;

/** Candidates that are read and compared at the same time. */
const CONCURRENT = 32;

/** Ids of documents by the hash of the request that added them; of each hash, the newest first. */
type Candidates = ReadonlyMap<string, readonly string[]>;

/**
 * Recognises the retries of adds that have neither a customId nor an Idempotency-Key. The event of such an add holds a hash
 * of what was sent. By it the views find the documents, which are then compared with what is sent again.
 */
@Injectable()
export class RecentAdds {
  readonly #ids = new LRUCache<string, string>({ max: REMEMBERED });
  readonly #turns = new StreamQueues();

  constructor(
    private readonly documents: DocumentRepository,
    private readonly views: CurrentViews,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns the hash of each document of a request, null for one with a customId. Equal documents of one request get
   * different hashes, the same ones in every attempt.
   */
  hashesOf(actor: string, documents: readonly NewDocument[]): readonly (string | null)[] {
    const equal = new Map<string, number>();
    return documents.map((document) => {
      if (document.customId !== null) return null;
      const hash = hashOf(actor, document);
      const before = equal.get(hash) ?? 0;
      equal.set(hash, before + 1);
      return before === 0 ? hash : shortened(contentHash(hash, String(before)));
    });
  }

  /**
   * Carries out adds when all earlier ones of this process with one of the hashes have ended: a retry that overlaps the first
   * attempt then finds its document.
   */
  inTurn<T>(hashes: readonly (string | null)[], add: () => Promise<T>): Promise<T> {
    return this.#turns.run(
      hashes.filter((hash) => hash !== null),
      add,
    );
  }

  /** Of an add that was carried out. */
  remember(hash: string | null, id: string): void {
    if (hash !== null) this.#ids.set(hash, id);
  }

  /**
   * Returns for each document the newest one that this caller added within the last ten minutes with the same fields, or
   * null.
   * @param hashes as of `hashesOf`
   */
  async find(
    scope: AccessScope,
    actor: string,
    documents: readonly NewDocument[],
    hashes: readonly (string | null)[],
  ): Promise<readonly (AcceptedContent | null)[]> {
    const found: (AcceptedContent | null)[] = documents.map(() => null);
    const compare = async (candidates: Candidates) => {
      await pLimit(CONCURRENT).map(documents, async (document, index) => {
        for (const id of candidates.get(hashes[index] ?? '') ?? []) {
          if (documents.length > 1) await giveWay();
          found[index] ??= await this.#sameAs(scope, actor, document, id);
        }
      });
      return hashes.filter((hash, index) => hash !== null && found[index] === null) as string[];
    };
    const missing = await compare(this.#remembered(hashes));
    if (missing.length > 0) await compare(await this.#recorded(scope, actor, missing));
    return found;
  }

  #remembered(hashes: readonly (string | null)[]): Candidates {
    return new Map(
      hashes.flatMap((hash) => {
        const id = hash === null ? undefined : this.#ids.get(hash);
        return hash === null || id === undefined ? [] : [[hash, [id]] as const];
      }),
    );
  }

  async #recorded({ organization, tags }: AccessScope, actor: string, hashes: readonly string[]): Promise<Candidates> {
    const { views, rest } = await this.views.readWithRest({ types: ['DocumentAdded'], organization });
    const now = this.clock.now();
    const between = { since: now - WINDOW_MS, until: now + AHEAD_MS };
    const candidates = new Map(hashes.map((hash) => [hash, [] as string[]]));
    for (const { id, sent = '' } of await views.addedAs({ organization, tags }, hashes, between)) {
      candidates.get(sent)?.push(id);
    }
    for await (const event of rest) {
      if (event.envelope.actor === actor) {
        const { id, sent } = addIn(event);
        candidates.get(sent)?.unshift(id);
      }
    }
    return candidates;
  }

  async #sameAs(scope: AccessScope, actor: string, document: NewDocument, id: string): Promise<AcceptedContent | null> {
    const added = await this.documents.asAdded(scope, id);
    if (added === null || added.actor !== actor || !(await isSame(scope, added, document))) return null;
    const isRecent = this.clock.now() - added.document.createdAt <= WINDOW_MS;
    return isRecent ? { id, status: added.present.stage, isNew: true } : null;
  }
}

/** What a `DocumentAdded` event says of its request. */
function addIn(event: RecordedEvent): { readonly id: string; readonly sent: string } {
  try {
    const payload: JsonObject = event.payload ?? {};
    const { id = '', sent = '' } = payload;
    return { id: String(id), sent: String(sent) };
  } catch (error) {
    // A document whose key is lost cannot be compared.
    if (lossIn(error) === null) throw error;
    return { id: '', sent: '' };
  }
}

const shortened = (hash: string): string => hash.slice(0, HASH_DIGITS);

function hashOf(actor: string, { content, ...details }: NewDocument): string {
  const sent =
    typeof content === 'string'
      ? ['text', String(content.length), content.slice(0, END_CHARACTERS), content.slice(-END_CHARACTERS)]
      : ['file', content.sha256];
  return shortened(contentHash(actor, JSON.stringify(details), ...sent));
}

async function isSame(scope: AccessScope, { document: stored }: AddedState, sent: NewDocument): Promise<boolean> {
  const { content, metadata } = sent;
  const tags = tagsOfNew(scope, sent.tags);
  const hasSameDetails =
    stored.customId === null &&
    stored.filepath === sent.filepath &&
    stored.taskType === sent.taskType &&
    stored.documentDate === sent.documentDate &&
    tags.ok &&
    isSameList(stored.tags, tags.value) &&
    (metadata === null ? stored.metadata === null : sameMetadata(metadata, stored.metadata));
  return hasSameDetails && (await isSameContent(stored.content, content));
}

async function isSameContent(
  stored: AddedState['document']['content'],
  sent: NewDocument['content'],
): Promise<boolean> {
  if (typeof sent !== 'string') return 'file' in stored && isStoredFile(stored.file, sent);
  if ('page' in stored) return stored.page === sent;
  if (!('parts' in stored)) return false;
  const [only] = stored.parts;
  return only !== undefined && (await refersTo(only, sent));
}
