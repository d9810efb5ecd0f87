import {
  type DocumentState,
  documentStream,
  foldDocument,
  initialState,
  isInWork,
  isLossEvent,
  type Live,
  lossIn,
  parseDocumentStream,
  unitsOf,
} from '#documents';
import { createFoldCache, type FoldCache, type RecordedEvent } from '#event-store';
import { documentHeader } from '#extraction';
import type { OrganizationId } from '#kernel';
import { embeddedTexts, findVectors, ownSpace, type UnitKeys } from '#vector-spaces/model';
import type { DocumentChange, DocumentRow, Unit } from '#views';
import { toRow, toUnreadableRow } from '../document-row.ts';
import type {
  DeferredUnits,
  Incomplete,
  ModelProjector,
  Projected,
  ProjectionSources,
  StreamEvents,
} from '../read-model.ts';

/** A document as far as its stream was folded. */
interface Folded {
  readonly state: DocumentState;
  readonly revision: number;
}

interface DocumentName {
  readonly organization: string;
  readonly id: string;
}

/** A change, which may lack something; or one whose vectors have to be looked up by the keys of its units. */
type Draft =
  | { readonly change: DocumentChange; readonly lacks?: string; readonly deferred?: DeferredUnits }
  | {
      readonly row: DocumentRow;
      readonly units: readonly Unit[];
      readonly header: string;
      readonly keys: readonly UnitKeys[] | null;
      /** Those of the second space of the row. */
      readonly second?: readonly UnitKeys[];
    };

/** Of the folds that are kept, because more events of their documents are likely to come: as `createFoldCache` counts them. */
const FOLDED_CHARACTERS = { characters: 1_000_000, inWork: 8_000_000 };

/** Projects documents and their units. */
export class DocumentProjector implements ModelProjector {
  readonly #sources: ProjectionSources;
  readonly #folds: FoldCache<Folded>;

  constructor(sources: ProjectionSources) {
    this.#sources = sources;
    const { inWork } = FOLDED_CHARACTERS;
    this.#folds = createFoldCache<Folded>({ ...FOLDED_CHARACTERS, inWork: sources.keptInWork ?? inWork });
  }

  async changesOf(streams: readonly StreamEvents[]): Promise<Projected> {
    const drafts: (Draft | null)[] = [];
    for (const { stream, events } of streams) {
      const name = parseDocumentStream(stream);
      if (name === null) continue;
      drafts.push(await this.#readable(stream, name, () => this.#draftOf(stream, name, events)));
    }
    return this.#complete(drafts);
  }

  async latestOf(streams: readonly Promise<StreamEvents>[]): Promise<Projected> {
    const drafts = await Promise.all(
      streams.map(async (reading) => {
        const { stream, events } = await reading;
        const name = parseDocumentStream(stream);
        if (name === null) return null;
        return this.#readable(stream, name, async () => {
          const state = events.reduce(foldDocument, initialState);
          return this.#draftTo(name, state, events.length - 1, true);
        });
      }),
    );
    return this.#complete(drafts);
  }

  /** Projects the envelopes of a document whose payloads cannot be read because their key is lost. */
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
      const { events } = await this.#sources.store.readStream(stream);
      // An operator has removed the stream; its deletion is recorded further on in the log.
      if (events.length === 0) return null;
      const { revision, envelope } = events.at(-1) as RecordedEvent;
      if (events.some(({ envelope: { type } }) => type === 'DocumentDeleted')) {
        return { change: { kind: 'delete', organization: organization as OrganizationId, id, revision } };
      }
      const row = toUnreadableRow(id, events, reason);
      return { change: { kind: 'upsert', row }, ...(!isLossEvent(envelope) && { lacks: reason }) };
    }
  }

  async #draftOf(stream: string, name: DocumentName, events: readonly RecordedEvent[]): Promise<Draft | null> {
    const before = await this.#before(stream, events[0] as RecordedEvent);
    const state = events.reduce(foldDocument, before.state);
    const { revision } = events.at(-1) as RecordedEvent;
    this.#folds.set(stream, { state, revision }, isInWork(state));
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
    const space = ownSpace(state) ?? this.#sources.space;
    // It may be embedded in this space as well: only a look at its vectors tells.
    const [own] = row.vectorSpaces;
    const isElsewhere = own !== undefined && own !== space;
    if (withUnits && isWithoutUnits(state)) return { row, units: [], header: '', keys: null };
    if ((!withUnits && !isElsewhere) || state.memories === null) return { change: { kind: 'upsert', row } };
    if (row.vectorSpaces.length === 0 && this.#sources.defers?.(state)) {
      return { change: { kind: 'upsert', row }, deferred: { row, document: state } };
    }
    const units = await this.#units(state);
    if ('lacks' in units) {
      // The units that the views have stay. Of a document that has failed it is recorded that it has lost something.
      return { change: { kind: 'upsert', row }, ...(state.stage !== 'failed' && units) };
    }
    const header = documentHeader(state.unitsDate);
    if (row.vectorSpaces.length === 0) return { row, units, header, keys: null };
    const keysIn = (one: string) => embeddedTexts(one, state, units).keys;
    const { secondSpace } = state;
    const isSecond = secondSpace !== null && secondSpace !== space;
    const spaces = isSecond ? [space, secondSpace] : [space];
    return {
      ...{ row: { ...row, vectorSpaces: spaces }, units, header, keys: keysIn(space) },
      ...(isSecond && { second: keysIn(secondSpace) }),
    };
  }

  /** Looks up the vectors of all drafts of a batch at once. */
  async #complete(drafts: readonly (Draft | null)[]): Promise<Projected> {
    const present = drafts.filter((draft) => draft !== null);
    const own = present.map((draft) => ('keys' in draft ? draft.keys : null));
    const others = present.map((draft) => ('keys' in draft ? (draft.second ?? null) : null));
    const found = await findVectors(this.#sources.vectors, [...own, ...others]);
    const changes = present.map((draft, i): DocumentChange => {
      if ('change' in draft) return draft.change;
      const { row, units, header } = draft;
      const vectors = found[i] ?? null;
      const second = vectors && (found[present.length + i] ?? null);
      // The cache may have lost vectors. A row that says so has them embedded again.
      return {
        kind: 'upsert',
        row: { ...row, vectorSpaces: row.vectorSpaces.slice(0, vectors === null ? 0 : second === null ? 1 : 2) },
        units: { units, header, vectors, language: row.language, ...(second && { second }) },
      };
    });
    const incomplete = present.flatMap((draft): Incomplete[] => {
      if (!('change' in draft) || draft.lacks === undefined || draft.change.kind === 'delete') return [];
      const { organization, id, contentVersion } = draft.change.row;
      return [{ organization, id, contentVersion, reason: draft.lacks }];
    });
    const deferred = present.flatMap((draft) => ('deferred' in draft && draft.deferred) || []);
    return { changes, deferred, incomplete };
  }

  /** The fold of all events before one. */
  async #before(stream: string, event: RecordedEvent): Promise<Folded> {
    if (event.revision === 0) return { state: initialState, revision: -1 };
    const kept = this.#folds.get(stream);
    if (kept?.revision === event.revision - 1) return kept;
    // An erasure follows in the log.
    const { events } = await this.#sources.store.readStream(stream, { mayBeStale: true });
    const state = events.filter(({ revision }) => revision < event.revision).reduce(foldDocument, initialState);
    return { state, revision: event.revision - 1 };
  }

  /** The blobs of a document that is deleted further on in the log are gone already, and its units do not matter any more. */
  async #units(document: Live): Promise<readonly Unit[] | { readonly lacks: string }> {
    try {
      return await unitsOf(document, this.#sources.texts);
    } catch (error) {
      const lacks = lossIn(error);
      if (lacks === null) throw error;
      const stream = documentStream(document.organization, document.id);
      const { events } = await this.#sources.store.readStream(stream);
      const isGone = events.length === 0 || events.reduce(foldDocument, initialState).status === 'deleted';
      return isGone ? [] : { lacks };
    }
  }
}

/** Content that cannot be processed has no units, so those of the content before it go. */
const isWithoutUnits = ({ stage, memories }: Live): boolean => stage === 'failed' && memories === null;

/** The old units stay until the new ones are formed: what was found before an update is found during it. */
function unitsChanged(before: DocumentState, after: Live, events: readonly RecordedEvent[]): boolean {
  if (isWithoutUnits(after)) return before.status !== 'live' || !isWithoutUnits(before);
  if (after.memories === null) return false;
  const formed = before.status !== 'live' || before.memories !== after.memories;
  return formed || events.some(({ envelope: { type } }) => type === 'UnitsEmbedded' || type === 'SecondSpaceEmbedded');
}
