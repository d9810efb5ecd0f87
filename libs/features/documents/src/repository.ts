import { type AccessScope, err, haveSameTags, ok, permits, type Result, type Scope } from '#platform/kernel';
import { type Cause, type CommandHandler, type Position, type RecordedEvent, record } from '#ports/event-store';
import { DOCUMENT_EVENTS, opensMemory } from './catalogue.ts';
import { ClaimRepository } from './claims/claim-repository.ts';
import { CustomIds, type FindNamed, type NameInTags } from './claims/custom-ids.ts';
import { ContentLosses } from './content-loss/content-losses.ts';
import { ContentReads } from './content-loss/content-reads.ts';
import { LostDocuments } from './content-loss/lost-documents.ts';
import { type AccessRefusal, accessRefusal, type DocumentChanged, type DocumentDecision } from './document-change.ts';
import { envelopesOf } from './envelopes.ts';
import type { DocumentEvent } from './events.ts';
import { ErasureCheckpoints } from './garbage-collection/erasure-checkpoint.ts';
import { KeptOrphans } from './garbage-collection/kept-orphans.ts';
import { JointChanges } from './joint-changes.ts';
import { DOCUMENT, foldDocument } from './model.ts';
import { type RecordedRequest, recordedRequest } from './recorded-request.ts';
import { recordEvents } from './recording.ts';
import { RemovedDocuments } from './removed-documents.ts';
import { type DocumentState, initialState, isMemoryDocument, type Live } from './state.ts';
import { customIdInTagsStream, customIdStream, documentStream } from './streams.ts';

const INTERNAL_ID = /^[A-Za-z0-9]{22}$/;

export interface AddedState {
  readonly document: Live;
  readonly present: Live;
  /** Who added it, as events name it. */
  readonly actor: string;
}

/** What a scope sees of a document that carries none of its tags. */
export interface Forbidden {
  readonly status: 'forbidden';
}

const FORBIDDEN: Forbidden = { status: 'forbidden' };

/**
 * Documents and the names that they claim, loaded and changed through their streams. Every call names its scope; one tag of
 * the document in the scope permits it.
 */
export class DocumentRepository {
  readonly claims: ClaimRepository;
  readonly customIds: CustomIds;
  readonly together: JointChanges;
  /** How many documents may lose content. */
  readonly losses: ContentLosses;
  readonly erasures: ErasureCheckpoints;
  readonly orphans: KeptOrphans;
  readonly removed: RemovedDocuments;
  /** Documents that cannot be read. */
  readonly lost: LostDocuments;
  readonly reads: ContentReads;
  readonly #handler: CommandHandler;

  /** @param findNamed default: no views are at hand, so only the first claim of a customId is known */
  constructor(handler: CommandHandler, findNamed: FindNamed = async () => []) {
    this.claims = new ClaimRepository(handler);
    this.customIds = new CustomIds(handler, this.claims, findNamed);
    this.together = new JointChanges(handler, this.customIds);
    this.losses = new ContentLosses(handler);
    this.erasures = new ErasureCheckpoints(handler);
    this.orphans = new KeptOrphans(handler);
    this.removed = new RemovedDocuments(handler, (...name) => this.#idsOf(...name));
    this.lost = new LostDocuments(
      handler,
      (...change) => this.change(...change),
      (...name) => this.#idsOf(...name),
    );
    const load: DocumentRepository['load'] = (...name) => this.load(...name);
    this.reads = new ContentReads({ load, losses: this.losses, lost: this.lost });
    this.#handler = handler;
  }

  async load(scope: AccessScope, id: string): Promise<DocumentState | Forbidden> {
    return permitted(scope, (await this.#handler.load(documentStream(scope.organization, id), DOCUMENT)).state);
  }

  /** The state as this process knows it, for work whose result is checked when it is appended. */
  async peek(scope: AccessScope, id: string): Promise<DocumentState | Forbidden> {
    const stream = documentStream(scope.organization, id);
    return permitted(scope, (await this.#handler.load(stream, DOCUMENT, { mayBeStale: true })).state);
  }

  /** Starts a document's stream. `exists`: there is a document with this id. */
  async create(
    scope: AccessScope,
    id: string,
    cause: Cause,
    events: readonly DocumentEvent[],
    tags: readonly string[],
  ): Promise<Result<DocumentChanged, 'exists' | 'forbidden'>> {
    const { organization } = scope;
    if (!permits(scope, tags)) return err('forbidden');
    return this.#handler.execute({
      stream: documentStream(organization, id),
      model: DOCUMENT,
      isNew: true,
      decide: (state, _revision, now) =>
        state.status === 'absent'
          ? ok(record(DOCUMENT_EVENTS, events, { organization, cause, tags, now }))
          : err('exists'),
    });
  }

  /** @param options.erase removes everything that the stream holds of content, in the same transaction */
  async change<E>(
    scope: AccessScope,
    id: string,
    cause: Cause,
    decide: (state: DocumentState) => Result<DocumentDecision, E>,
    options: { readonly erase?: boolean } = {},
  ): Promise<Result<DocumentChanged, E | 'forbidden'>> {
    const { organization } = scope;
    let before: DocumentState = initialState;
    const changed = await this.#handler.execute<DocumentState, E | 'forbidden'>({
      stream: documentStream(organization, id),
      model: DOCUMENT,
      decide: (state, _revision, now) => {
        before = state;
        if (!mayTouch(scope, state)) return err('forbidden');
        const decided = decide(state);
        if (!decided.ok) return decided;
        const { events, tags } =
          'events' in decided.value
            ? decided.value
            : { events: decided.value, tags: state.status === 'live' ? state.tags : [] };
        const isMemory = isMemoryDocument(state) || opensMemory(events[0]?.type);
        const recorded = recordEvents(events, { organization, cause, tags, now, isMemory });
        return ok(options.erase && recorded.length > 0 ? { events: recorded, erase: true as const } : recorded);
      },
    });
    if (changed.ok) await this.#reopenName(scope, before, changed.value.state, cause);
    return changed;
  }

  /** Other documents may have the customId in the tags that a document has come to. */
  async #reopenName(scope: Scope, before: DocumentState, after: DocumentState, cause: Cause): Promise<void> {
    if (before.status !== 'live' || after.status !== 'live') return;
    const { customId, tags } = after;
    if (customId !== null && !haveSameTags(before.tags, tags)) {
      await this.customIds.reopen(scope, { customId, tags }, cause);
    }
  }

  /**
   * Records what follows from a document as the caller saw it at a revision, without reading the stream.
   * @param options as of `change`
   * @returns the position of the last event; null, with nothing recorded, if the document has changed since, or if its state
   *   is cached here anyway
   */
  async changeAsSeen(
    scope: AccessScope,
    id: string,
    cause: Cause,
    seen: { readonly revision: number; readonly tags: readonly string[]; readonly isMemory?: boolean },
    events: readonly DocumentEvent[],
    options: { readonly erase?: boolean } = {},
  ): Promise<Position | null> {
    const { organization } = scope;
    const stream = documentStream(organization, id);
    if (this.#handler.holds(stream, DOCUMENT) || !permits(scope, seen.tags)) return null;
    const { tags, isMemory = false } = seen;
    const eventsAt = (now: number) => recordEvents(events, { organization, cause, tags, now, isMemory });
    return this.#handler.record(stream, eventsAt, { expected: seen.revision, ...options });
  }

  /** A live document as its first request left it, and as it is now. Null: none, or none that the scope permits. */
  async asAdded(scope: AccessScope, id: string): Promise<AddedState | null> {
    const { events } = await this.#handler.read(documentStream(scope.organization, id));
    const present = events.reduce(foldDocument, initialState);
    const first = events[0]?.envelope;
    if (first === undefined || present.status !== 'live' || !permits(scope, present.tags)) return null;
    const end = events.findIndex(
      ({ envelope: { actor, correlationId } }) => actor !== first.actor || correlationId !== first.correlationId,
    );
    const document = events.slice(0, end < 0 ? undefined : end).reduce(foldDocument, initialState);
    return document.status === 'live' ? { document, present, actor: first.actor } : null;
  }

  /** As `recordedRequest`, of the document with an id, whatever its tags are. */
  async requestIn({ organization }: AccessScope, id: string, correlationId: string): Promise<RecordedRequest | null> {
    const { events } = await this.#handler.read(documentStream(organization, id));
    return recordedRequest(events, correlationId);
  }

  /** Ids of documents that have claimed a customId: the newest first, of the first claims, then of those for the tags. */
  async ownersOf({ organization }: Scope, name: NameInTags): Promise<readonly string[]> {
    const streams = [customIdStream(organization, name.customId), customIdInTagsStream(organization, name)];
    const owners = await Promise.all(streams.map((stream) => this.claims.ownersOf(stream)));
    return [...new Set(owners.flat())];
  }

  /** The envelopes of a document's events, by internal id also after its deletion, else by customId. */
  async events(scope: AccessScope, idOrCustomId: string): Promise<Result<readonly RecordedEvent[], AccessRefusal>> {
    for await (const id of this.#idsOf(scope, idOrCustomId)) {
      const events = await envelopesOf(this.#handler, scope.organization, id);
      const last = events.at(-1)?.envelope;
      if (last === undefined) continue;
      if (id !== idOrCustomId && last.type === 'DocumentDeleted') break;
      if (opensMemory(events[0]?.envelope.type)) break;
      const refusal = accessRefusal(scope, last.tags, id === idOrCustomId);
      return refusal === null ? ok(events) : err(refusal);
    }
    return err('not_found');
  }

  /** The envelopes of the events of a memory, also after its deletion. */
  async memoryEvents(scope: AccessScope, id: string): Promise<Result<readonly RecordedEvent[], AccessRefusal>> {
    const events = await envelopesOf(this.#handler, scope.organization, id);
    if (!opensMemory(events[0]?.envelope.type)) return err('not_found');
    return permits(scope, events.at(-1)?.envelope.tags ?? []) ? ok(events) : err('forbidden');
  }

  /** A live document by internal id, else by customId. Memories are none. */
  async find(scope: AccessScope, idOrCustomId: string): Promise<Result<Live, AccessRefusal>> {
    const found = await this.#find(scope, idOrCustomId, (stream) => this.#handler.load(stream, DOCUMENT));
    return found.ok ? ok(found.value.state) : found;
  }

  /** The same document, and all of its events, oldest first. */
  history(
    scope: AccessScope,
    idOrCustomId: string,
  ): Promise<Result<{ readonly state: Live; readonly events: readonly RecordedEvent[] }, AccessRefusal>> {
    return this.#find(scope, idOrCustomId, async (stream) => {
      const { events } = await this.#handler.read(stream);
      return { events, state: events.reduce(foldDocument, initialState) };
    });
  }

  async #find<T extends { readonly state: DocumentState }>(
    scope: AccessScope,
    idOrCustomId: string,
    load: (stream: string) => Promise<T>,
  ): Promise<Result<T & { readonly state: Live }, AccessRefusal>> {
    for await (const id of this.#idsOf(scope, idOrCustomId)) {
      const loaded = await load(documentStream(scope.organization, id));
      const { state } = loaded;
      if (state.status === 'deleted') break;
      if (state.status === 'absent') continue;
      // A name is claimed before the document has it, and released after the document has another one.
      if (id !== idOrCustomId && state.customId !== idOrCustomId) break;
      if (state.memory !== null) break;
      const refusal = accessRefusal(scope, state.tags, id === idOrCustomId);
      return refusal === null ? ok({ ...loaded, state }) : err(refusal);
    }
    return err('not_found');
  }

  /**
   * The possible ids of the document: the name itself, then that of the document which it addresses as a customId. Callers
   * stop at the first that ever was a document: an id never becomes the customId of another one.
   * @throws AmbiguousCustomIdError
   */
  async *#idsOf(scope: AccessScope, idOrCustomId: string): AsyncGenerator<string> {
    if (INTERNAL_ID.test(idOrCustomId)) yield idOrCustomId;
    const id = await this.customIds.addressed(scope, idOrCustomId);
    if (id !== null) yield id;
  }
}

/** An absent document has no tags to check: a caller may find out that there is none. */
const mayTouch = (scope: AccessScope, state: DocumentState): boolean =>
  state.status === 'absent' || permits(scope, state.tags);

const permitted = (scope: AccessScope, state: DocumentState): DocumentState | Forbidden =>
  mayTouch(scope, state) ? state : FORBIDDEN;
