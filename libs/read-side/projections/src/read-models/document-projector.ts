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
} from '#features/documents';
import { embeddedTexts, ownSpace } from '#features/vector-spaces/model';
import type { OrganizationId } from '#platform/kernel';
import { createFoldCache, type FoldCache, type RecordedEvent } from '#ports/event-store';
import { documentHeader } from '#processing/extraction';
import type { Unit } from '#read-side/views';
import { toRow, toUnreadableRow } from '../document-row.ts';
import type { ModelProjector, Projected, ProjectionSources, StreamEvents } from '../read-model.ts';
import { Batch } from './batch.ts';
import { completeDrafts, type Draft, isIncomplete, rowOf, withoutUnits } from './drafts.ts';
import { formerRows } from './former-rows.ts';
import { differenceOf, FormerUnitProjector } from './former-units.ts';
import { type Folded, touchedBy } from './touched-documents.ts';
import { unlessLost } from './unless-lost.ts';

interface DocumentName {
  readonly organization: string;
  readonly id: string;
}

/** Of the folds that are kept, because more events of their documents are likely to come: as `createFoldCache` counts them. */
const FOLDED_CHARACTERS = { characters: 1_000_000, inWork: 8_000_000 };

/** Projects documents and their units. */
export class DocumentProjector implements ModelProjector {
  readonly #sources: ProjectionSources;
  readonly #folds: FoldCache<Folded>;
  readonly #formers: FormerUnitProjector;

  constructor(sources: ProjectionSources) {
    this.#sources = sources;
    const { inWork } = FOLDED_CHARACTERS;
    this.#formers = new FormerUnitProjector(sources);
    this.#folds = createFoldCache<Folded>({ ...FOLDED_CHARACTERS, inWork: sources.keptInWork ?? inWork });
  }

  async changesOf(streams: readonly StreamEvents[]): Promise<Projected> {
    const { store } = this.#sources;
    const ends = streams.map(({ events }) => (events.at(-1) as RecordedEvent).position);
    const batch = new Batch(ends.sort((a, b) => store.compare(a, b)).at(-1) ?? null);
    for (const { stream, events } of streams) {
      const name = parseDocumentStream(stream);
      if (name === null) continue;
      const draft = await this.#readable(stream, name, () => this.#draftOf(batch, stream, name, events));
      if (draft !== null) batch.drafts.set(stream, draft);
    }
    return completeDrafts(this.#sources.vectors, await this.#withTouched(batch));
  }

  async latestOf(streams: readonly Promise<StreamEvents>[]): Promise<Projected> {
    const batch = new Batch(null);
    const drafts = await Promise.all(
      streams.map(async (reading) => {
        const { stream, events } = await reading;
        const name = parseDocumentStream(stream);
        if (name === null) return [];
        const draft = await this.#readable(stream, name, async () => {
          const folded = { state: events.reduce(foldDocument, initialState), revision: events.length - 1 };
          const { state } = folded;
          if (state.status === 'live' && state.discarded > 0) {
            batch.discarded.set(stream, { events, isMoved: false, touched: [] });
          }
          return this.#projected(batch, stream, name, folded, true);
        });
        return draft === null ? [] : [[stream, draft] as const];
      }),
    );
    for (const [stream, draft] of drafts.flat()) batch.drafts.set(stream, draft);
    return completeDrafts(this.#sources.vectors, await this.#withTouched(batch));
  }

  /** Adds the rows of touched memories and what of the units of their documents is left out. */
  async #withTouched(batch: Batch): Promise<readonly Draft[]> {
    const { drafts, folded, memories } = batch;
    const own = [...folded].filter(([, { state }]) => state.status === 'live' && state.touched.length > 0);
    const streams = new Set([...memories.keys(), ...own.map(([stream]) => stream)]);
    const sources = { ...this.#sources, stateOf: (stream: string) => this.#stateIn(batch, stream) };
    const added: Draft[] = [];
    for (const stream of streams) {
      const folded = await unlessLost(() => this.#stateIn(batch, stream));
      if ('lost' in folded || folded.state.status !== 'live') continue;
      const { state, revision } = folded;
      const only = drafts.has(stream) ? null : (memories.get(stream) ?? null);
      const draft = drafts.get(stream) ?? (await this.#draftTo(state, revision, batch.until === null));
      const touched = isIncomplete(draft)
        ? null
        : await unlessLost(async () => {
            const formed = await this.#formedIn(batch, stream, state);
            return touchedBy(sources, { ...formed, touched: state.touched }, rowOf(draft), only);
          });
      if (touched === null || 'lost' in touched) {
        drafts.set(stream, withoutUnits(draft, touched?.lost));
        continue;
      }
      drafts.set(stream, { ...draft, touched });
      added.push(...touched.memories);
    }
    added.push(...(await this.#formersIn(batch)));
    return [...drafts.values(), ...added];
  }

  /** The rows of units that have left their documents, as far as the batch concerns them. */
  async #formersIn(batch: Batch): Promise<readonly Draft[]> {
    const found: Draft[] = [];
    for (const stream of new Set([...batch.discarded.keys(), ...batch.memories.keys()])) {
      const own = await unlessLost(async () => {
        const { state, revision } = await this.#stateIn(batch, stream);
        if (state.status !== 'live' || state.discarded === 0) return [];
        const stateOf = (one: string) => this.#stateIn(batch, one);
        return this.#formers.draftsOf(batch, stream, { document: state, revision, stateOf });
      });
      if (!('lost' in own)) found.push(...own);
    }
    return found;
  }

  /** The state of a document with the units that the views have: while it is processed again, the former one. */
  async #formedIn(batch: Batch, stream: string, document: Live): Promise<Live> {
    if (document.memories !== null || isWithoutUnits(document)) return document;
    const { store } = this.#sources;
    let formed: Live = document;
    let state = initialState;
    for (const event of (await store.readStream(stream, { mayBeStale: true })).events) {
      if (batch.until !== null && store.compare(event.position, batch.until) > 0) break;
      state = foldDocument(state, event);
      if (state.status === 'live' && state.memories !== null) formed = state;
    }
    return formed;
  }

  /** The fold of a stream up to the end of a batch. */
  async #stateIn(batch: Batch, stream: string): Promise<Folded> {
    const known = batch.folded.get(stream) ?? (batch.until === null ? undefined : this.#folds.get(stream));
    if (known !== undefined) return known;
    const { events } = await this.#sources.store.readStream(stream, { mayBeStale: true });
    const { store } = this.#sources;
    const own = events.filter(({ position }) => batch.until === null || store.compare(position, batch.until) <= 0);
    const folded = { state: own.reduce(foldDocument, initialState), revision: own.length - 1 };
    batch.folded.set(stream, folded);
    if (batch.until !== null) this.#folds.set(stream, folded, isInWork(folded.state));
    return folded;
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
      // Its document shows it no more: what was decided about it cannot be read.
      if (events[0]?.envelope.type === 'PassageTouched') return null;
      const row = toUnreadableRow(id, events, reason);
      const isTouched = events.some(({ envelope: { type } }) => type === 'MemoriesTouched');
      const own: Draft = { change: { kind: 'upsert', row }, ...(!isLossEvent(envelope) && { lacks: reason }) };
      return isTouched ? withoutUnits(own) : own;
    }
  }

  async #draftOf(
    batch: Batch,
    stream: string,
    name: DocumentName,
    events: readonly RecordedEvent[],
  ): Promise<Draft | null> {
    const before = await this.#before(stream, events[0] as RecordedEvent);
    const state = events.reduce(foldDocument, before.state);
    const { revision } = events.at(-1) as RecordedEvent;
    this.#folds.set(stream, { state, revision }, isInWork(state));
    if (state.status === 'live' && state.discarded > 0) {
      batch.discarded.set(stream, { events, ...differenceOf(before.state, state) });
    }
    const withUnits = state.status === 'live' && unitsChanged(before.state, state, events);
    return this.#projected(batch, stream, name, { state, revision }, withUnits);
  }

  /** Returns null for a memory of a document, whose row follows from that of the document. */
  async #projected(
    batch: Batch,
    stream: string,
    { organization, id }: DocumentName,
    folded: Folded,
    withUnits: boolean,
  ): Promise<Draft | null> {
    const { state, revision } = folded;
    batch.folded.set(stream, folded);
    if (state.status === 'absent') return null;
    if (state.status === 'deleted') {
      return { change: { kind: 'delete', organization: organization as OrganizationId, id, revision } };
    }
    const passage = state.memory?.passage ?? null;
    if (passage === null) {
      const draft = await this.#draftTo(state, revision, withUnits);
      const { memory } = state;
      if (memory === null || memory.versions.length === 1) return draft;
      return { ...draft, formers: formerRows(rowOf(draft), memory, ownSpace(state) ?? this.#sources.space, null) };
    }
    const owner = documentStream(organization, passage.documentId);
    const changed = batch.memories.get(owner) ?? new Set();
    batch.memories.set(owner, changed.add(id));
    return null;
  }

  async #draftTo(state: Live, revision: number, withUnits: boolean): Promise<Draft> {
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
