import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type DocumentState, type FormerUnits, type Live, UnitHistory } from '#features/documents';
import { hashedSentences } from '#features/memories';
import type { OrganizationId } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import type { DocumentRow } from '#read-side/views';
import { toRow } from '../document-row.ts';
import type { ProjectionSources } from '../read-model.ts';
import type { Batch, DiscardedContent } from './batch.ts';
import type { Draft } from './drafts.ts';
import { type FormerKeys, formerKeys, formerUnitRows, formerUnitsId } from './former-unit-rows.ts';
import { type Folded, type TouchedMemories, touchedMemories } from './touched-documents.ts';

/** Units of documents whose histories are kept, because more edits are likely to come. */
const KEPT_UNITS = 500_000;
/** After these, units of a document may have left it. */
const LEAVING: ReadonlySet<string> = new Set(['MemoriesFormed', 'DocumentIndexed', 'ProcessingFailed']);

/** A document at the end of a batch. */
interface Present {
  readonly document: Live;
  readonly revision: number;
  /** Folds a stream up to the events that are projected. */
  stateOf(stream: string): Promise<Folded>;
}

/** Projects the units that have left their documents. */
export class FormerUnitProjector {
  readonly #sources: ProjectionSources;
  readonly #histories = new LRUCache<string, UnitHistory<FormerKeys | null>>({
    maxSize: KEPT_UNITS,
    sizeCalculation: ({ size }) => size + 1,
  });

  constructor(sources: ProjectionSources) {
    this.#sources = sources;
  }

  /**
   * Returns the rows of units that have left a document with a batch, and those that hold a sentence about which callers have
   * decided; the rows of all units that have ever left it, if its place has changed or all its events are in the batch.
   */
  async draftsOf(batch: Batch, stream: string, present: Present): Promise<readonly Draft[]> {
    const discarded = batch.discarded.get(stream);
    const decided = new Set([...(batch.memories.get(stream) ?? []), ...(discarded?.touched ?? [])]);
    if (batch.until !== null && discarded?.isMoved !== true && decided.size === 0) {
      return this.#leaving(batch, stream, discarded?.events ?? [], present);
    }
    const history = this.#newHistory();
    const { former } = await history.follow(await this.#eventsOf(stream, batch));
    this.#histories.set(stream, history);
    const touched = await touchedMemories(present, present.document);
    const isWhole = batch.until === null || discarded?.isMoved === true || mayLeave(discarded?.events ?? []);
    const wanted = isWhole ? former : former.filter(concernedBy(decided, touched));
    return formerUnitRows(rowOf(present), wanted, touched, this.#sources.space);
  }

  async #leaving(
    batch: Batch,
    stream: string,
    events: readonly RecordedEvent[],
    present: Present,
  ): Promise<readonly Draft[]> {
    const [first] = events;
    const kept = this.#histories.get(stream);
    const isNext = first !== undefined && kept?.revision === first.revision - 1;
    if (!isNext && !mayLeave(events)) return [];
    const history = kept !== undefined && isNext ? kept : this.#newHistory();
    if (!isNext) {
      const all = await this.#eventsOf(stream, batch);
      await history.follow(all.filter(({ revision }) => first !== undefined && revision < first.revision));
    }
    const { former, returned } = await history.follow(events);
    this.#histories.set(stream, history);
    if (former.length === 0 && returned.length === 0) return [];
    const { document, revision } = present;
    const organization = document.organization as OrganizationId;
    const touched = await touchedMemories(present, document);
    return [
      ...formerUnitRows(rowOf(present), former, touched, this.#sources.space),
      ...returned.map((stay): Draft => {
        return { change: { kind: 'delete', organization, id: formerUnitsId(document.id, stay), revision } };
      }),
    ];
  }

  #newHistory(): UnitHistory<FormerKeys | null> {
    const { texts, space, defers = () => false } = this.#sources;
    // The units of a document with vectors are read whole when it is indexed, too.
    const isLong = (document: Live) => document.vectorSpace === null && defers(document);
    return new UnitHistory({ texts, isLong, contextOf: (...units) => formerKeys(space, ...units) });
  }

  async #eventsOf(stream: string, { until, discarded }: Batch): Promise<readonly RecordedEvent[]> {
    const whole = until === null ? discarded.get(stream)?.events : undefined;
    if (whole !== undefined) return whole;
    const { store } = this.#sources;
    const { events } = await store.readStream(stream, { mayBeStale: true });
    return until === null ? events : events.filter(({ position }) => store.compare(position, until) <= 0);
  }
}

const mayLeave = (events: readonly RecordedEvent[]): boolean =>
  events.some(({ envelope: { type } }) => LEAVING.has(type));

/** Whether units have one of the memories, or a sentence of one of them. */
function concernedBy(decided: ReadonlySet<string>, { memories }: TouchedMemories) {
  const own = memories.filter(({ live }) => decided.has(live.id));
  const sentences = new Set(own.flatMap(({ live: { memory } }) => memory.passage?.sentences ?? []));
  return ({ units }: Pick<FormerUnits<unknown>, 'units'>): boolean =>
    units.some(
      ({ kind, id, text }) =>
        (kind === 'memory' && decided.has(id)) || hashedSentences(text).some(({ hash }) => sentences.has(hash)),
    );
}

/** What of a change concerns the rows of units that have left a document. */
export function differenceOf(before: DocumentState, after: Live): Pick<DiscardedContent, 'isMoved' | 'touched'> {
  if (before.status !== 'live') return { isMoved: false, touched: after.touched };
  const placeOf = ({ tags, metadata, frontMatter, filepath }: Live) => [tags, metadata, frontMatter, filepath];
  return {
    isMoved: !isDeepStrictEqual(placeOf(before), placeOf(after)),
    touched: after.touched.slice(before.touched.length),
  };
}

const rowOf = ({ document, revision }: Present): DocumentRow => toRow(document, revision);
