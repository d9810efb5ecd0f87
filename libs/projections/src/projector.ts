import { LRUCache } from 'lru-cache';
import {
  type DocumentState,
  type DocumentTexts,
  documentStream,
  foldDocument,
  initialState,
  isLossEvent,
  type Live,
  lossIn,
  parseDocumentStream,
  unitsOf,
} from '#documents';
import { createFoldCache, type EventStore, type RecordedEvent } from '#event-store';
import { documentHeader } from '#extraction';
import type { OrganizationId } from '#kernel';
import { embeddedTexts, findVectors, type UnitKeys, type VectorSource } from '#vector-spaces';
import type { DocumentChange, DocumentRow, Unit } from '#views';
import { toRow, toUnreadableRow } from './document-row.ts';

export interface ProjectorOptions {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly texts: DocumentTexts;
  readonly vectors: VectorSource;
  /** The vector space of the views, whichever a document was embedded in last. */
  readonly space: string;
}

/** What events bring about. */
export interface Projected {
  /** In the order in which the documents first occur. */
  readonly changes: readonly DocumentChange[];
  /** Of which something is not there that their events name, and is not known to be lost; `changes` has what there is. */
  readonly incomplete: readonly Incomplete[];
}

export interface Incomplete {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly contentVersion: number;
  /** A sentence without its full stop. */
  readonly reason: string;
}

/** A document as far as the projection has read its stream. */
interface Folded {
  readonly state: DocumentState;
  readonly revision: number;
}

/** Of the folds that are kept, because more events of their documents are likely to come soon: some 4,600 small ones. */
const FOLDED_CHARACTERS = 4_000_000;
/** Documents of which it is remembered, while catching up, how far they have been projected. */
const REMEMBERED_REVISIONS = 200_000;

/**
 * Turns events into changes of the views. All events of a document in one batch become one change.
 */
export class Projector {
  readonly #options: ProjectorOptions;
  readonly #folds = createFoldCache<Folded>({ characters: FOLDED_CHARACTERS });
  readonly #ahead = new LRUCache<string, number>({ max: REMEMBERED_REVISIONS });

  constructor(options: ProjectorOptions) {
    this.#options = options;
  }

  async changesOf(events: readonly RecordedEvent[]): Promise<Projected> {
    const drafts: (Draft | null)[] = [];
    for (const [stream, ofStream] of Map.groupBy(events, ({ stream }) => stream)) {
      const name = parseDocumentStream(stream);
      if (name === null) continue;
      drafts.push(await this.#readable(stream, name, () => this.#draftOf(stream, name, ofStream)));
    }
    return this.#complete(drafts);
  }

  /**
   * The same for events that lie back: each document is brought at once to where its stream ends today, so that a rebuild
   * writes it once, whatever it went through. Its later events bring nothing new. The payloads of `events` are not read.
   */
  async latestOf(events: readonly RecordedEvent[]): Promise<Projected> {
    const last = new Map<string, number>();
    for (const { stream, revision } of events) last.set(stream, revision);
    const drafts = await Promise.all(
      [...last].map(async ([stream, revision]) => {
        const name = parseDocumentStream(stream);
        if (name === null || (this.#ahead.get(stream) ?? -1) >= revision) return null;
        const { events: all } = await this.#options.store.readStream(stream);
        return this.#readable(stream, name, async () => {
          const state = all.reduce(foldDocument, initialState);
          last.set(stream, all.length - 1);
          return this.#draftTo(name, state, all.length - 1, true);
        });
      }),
    );
    const projected = await this.#complete(drafts);
    // Only now: a batch that failed half-way, or that lacks something, is to be made again whole.
    if (projected.incomplete.length === 0) for (const [stream, revision] of last) this.#ahead.set(stream, revision);
    return projected;
  }

  /** What stands for a document whose payloads cannot be read, because their key is lost. */
  async #readable(
    stream: string,
    { organization, id }: DocumentName,
    draft: () => Promise<Draft | null>,
  ): Promise<Draft | null> {
    try {
      return await draft();
    } catch (error) {
      const reason = lossIn(error);
      if (reason === null) throw error;
      const { events } = await this.#options.store.readStream(stream);
      const { revision, envelope } = events.at(-1) as RecordedEvent;
      if (events.some(({ envelope: { type } }) => type === 'DocumentDeleted')) {
        return { change: { kind: 'delete', organization: organization as OrganizationId, id, revision } };
      }
      const row = toUnreadableRow(id, events, reason);
      return { change: { kind: 'upsert', row }, ...(!isLossEvent(envelope) && { lacks: reason }) };
    }
  }

  async #draftOf(stream: string, name: DocumentName, events: readonly RecordedEvent[]): Promise<Draft | null> {
    // What was projected ahead of its turn, while catching up.
    if ((this.#ahead.get(stream) ?? -1) >= (events.at(-1) as RecordedEvent).revision) return null;
    const before = await this.#before(stream, events[0] as RecordedEvent);
    const state = events.reduce(foldDocument, before.state);
    const { revision } = events.at(-1) as RecordedEvent;
    this.#folds.set(stream, { state, revision });
    const withUnits = state.status === 'live' && unitsChanged(before.state, state, events);
    return this.#draftTo(name, state, revision, withUnits);
  }

  async #draftTo(
    { organization, id }: DocumentName,
    state: DocumentState,
    revision: number,
    withUnits: boolean,
  ): Promise<Draft | null> {
    if (state.status === 'absent') return null;
    if (state.status === 'deleted') {
      return { change: { kind: 'delete', organization: organization as OrganizationId, id, revision } };
    }
    const row = toRow(state, revision);
    const { space } = this.#options;
    // Embedded in this space too, perhaps: only the look at its vectors tells what the row may say.
    const isElsewhere = row.vectorSpaces.length > 0 && !row.vectorSpaces.includes(space);
    if ((!withUnits && !isElsewhere) || state.memories === null) return { change: { kind: 'upsert', row } };
    const units = await this.#units(state);
    if ('lacks' in units) {
      // The units that the views have, if any, stay. A document that has failed is known to have lost something.
      return { change: { kind: 'upsert', row }, ...(state.stage !== 'failed' && units) };
    }
    if (row.vectorSpaces.length === 0) return { row, units, keys: null };
    return { row: { ...row, vectorSpaces: [space] }, units, keys: embeddedTexts(space, state, units).keys };
  }

  /** Gives the drafts of a batch their vectors, looked up together. */
  async #complete(drafts: readonly (Draft | null)[]): Promise<Projected> {
    const present = drafts.filter((draft) => draft !== null);
    const keys = present.map((draft) => ('keys' in draft ? draft.keys : null));
    const found = await findVectors(this.#options.vectors, keys);
    const changes = present.map((draft, i): DocumentChange => {
      if ('change' in draft) return draft.change;
      const { row, units } = draft;
      const vectors = found[i] ?? null;
      const header = documentHeader(row.documentDate);
      // Vectors that the cache has lost are made again: the row says that there are none.
      return { kind: 'upsert', row: vectors ? row : { ...row, vectorSpaces: [] }, units: { units, header, vectors } };
    });
    const incomplete = present.flatMap((draft): Incomplete[] => {
      if (!('change' in draft) || draft.lacks === undefined || draft.change.kind === 'delete') return [];
      const { organization, id, contentVersion } = draft.change.row;
      return [{ organization, id, contentVersion, reason: draft.lacks }];
    });
    return { changes, incomplete };
  }

  /** The fold of everything before an event. */
  async #before(stream: string, event: RecordedEvent): Promise<Folded> {
    if (event.revision === 0) return { state: initialState, revision: -1 };
    const kept = this.#folds.get(stream);
    if (kept?.revision === event.revision - 1) return kept;
    const { events } = await this.#options.store.readStream(stream);
    const state = events.filter(({ revision }) => revision < event.revision).reduce(foldDocument, initialState);
    return { state, revision: event.revision - 1 };
  }

  /** A document that is deleted further on in the log has lost its blobs already; its units do not matter any more. */
  async #units(document: Live): Promise<readonly Unit[] | { readonly lacks: string }> {
    try {
      return await unitsOf(document, this.#options.texts);
    } catch (error) {
      const lacks = lossIn(error);
      if (lacks === null) throw error;
      const stream = documentStream(document.organization, document.id);
      const now = (await this.#options.store.readStream(stream)).events.reduce(foldDocument, initialState);
      return now.status === 'deleted' ? [] : { lacks };
    }
  }
}

/** A change, which may lack something; or one whose vectors have to be looked up by the keys of its units. */
type Draft =
  | { readonly change: DocumentChange; readonly lacks?: string }
  | { readonly row: DocumentRow; readonly units: readonly Unit[]; readonly keys: readonly UnitKeys[] | null };

interface DocumentName {
  readonly organization: string;
  readonly id: string;
}

/** The old units stay until the new ones are formed: what was found before an update is found during it. */
function unitsChanged(before: DocumentState, after: Live, events: readonly RecordedEvent[]): boolean {
  if (after.memories === null) return false;
  const formed = before.status !== 'live' || before.memories !== after.memories;
  return formed || events.some(({ envelope }) => envelope.type === 'UnitsEmbedded');
}
