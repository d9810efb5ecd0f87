import type { DocumentContents, DocumentRepository, PastDocuments } from '#features/documents';
import type { Clock } from '#platform/kernel';
import { cutUnits, readUnits, toRow } from '#read-side/projections';
import {
  type DocumentQuery,
  type DocumentRow,
  isWanted,
  scopeThen,
  type Unit,
  type UnitHit,
  type ViewsReader,
} from '#read-side/views';
import { asTagged } from './as-tagged.ts';
import { shownAt, touchedIn } from './touched.ts';

/** What of a document a search knew at a time. */
interface Known {
  readonly row: DocumentRow;
  readonly chunks: readonly Unit[];
  /** Chunks and memories, by their ids. */
  readonly units: ReadonlyMap<string, Unit>;
}

/** Hits that are checked before it is known whether more are needed. */
const CHECKED_AT_ONCE = 16;

/** As the views returned it, or as the past showed it. */
type Hit = Pick<UnitHit, 'unit' | 'document'> & { readonly hasLeft?: true };

export interface KnownHitsSources {
  readonly documents: Pick<DocumentRepository, 'load'>;
  readonly past: PastDocuments;
  readonly contents: DocumentContents;
  readonly clock: Clock;
}

/** Finds out what searches knew at a time. */
export class KnownHits {
  readonly #sources: KnownHitsSources;

  constructor(sources: KnownHitsSources) {
    this.#sources = sources;
  }

  /** Returns null if the query is about the present. */
  of(views: Pick<ViewsReader, 'documents'>, query: DocumentQuery): HitsAsOf | null {
    const { asOf } = query;
    return asOf === undefined ? null : new HitsAsOf(this.#sources, views, query, asOf);
  }
}

/**
 * What searches knew at a time, for one request. The views compare times of rows; what a document had then, after it has
 * changed since, only its stream tells. Such a document has the details of then, and its tags and metadata of then are compared
 * with the query too.
 */
export class HitsAsOf {
  readonly #sources: KnownHitsSources;
  readonly #views: Pick<ViewsReader, 'documents'>;
  readonly #query: DocumentQuery;
  readonly #asOf: number;
  readonly #known = new Map<string, Promise<Known | null>>();

  constructor(
    sources: KnownHitsSources,
    views: Pick<ViewsReader, 'documents'>,
    { scope, tagsThen = 'all', filter, filepath }: DocumentQuery,
    asOf: number,
  ) {
    this.#sources = sources;
    this.#views = views;
    this.#query = { scope, tagsThen, filter, filepath };
    this.#asOf = asOf;
  }

  /**
   * Leaves of hits what was known, with the ordinals of then. A unit that has left its document and is there again is found
   * twice, and stays as its better hit.
   * @param hits the best first
   * @param most as soon as so many are known, the others are not looked at. Default: all are
   */
  async of<T extends Hit>(hits: readonly T[], most: number = Number.POSITIVE_INFINITY): Promise<readonly T[]> {
    const sources = await this.#sourcesOf(hits);
    const found = new Map<string, T>();
    for (let from = 0; from < hits.length && found.size < most; from += CHECKED_AT_ONCE) {
      const some = hits.slice(from, from + CHECKED_AT_ONCE);
      for (const hit of await Promise.all(some.map((one) => this.#checked(one, sources)))) {
        if (hit === null) continue;
        const name = `${hit.document.id} ${hit.unit.kind} ${hit.unit.id}`;
        if (!found.has(name)) found.set(name, hit);
      }
    }
    return [...found.values()].slice(0, most);
  }

  /** Returns a hit as it was known. Null: it was not. */
  async #checked<T extends Hit>(hit: T, sources: ReadonlyMap<string, DocumentRow>): Promise<T | null> {
    const { unit, document, hasLeft } = hit;
    // Recorded directly.
    if (document.memory !== undefined && document.memory.documentId === undefined) return asTagged(hit, this.#asOf);
    const source = sources.get(sourceOf(document));
    if (!hasLeft) {
      if (source === undefined || source.createdAt > this.#asOf) return null;
      if (!this.#hasChanged(source)) return hit;
    }
    const then = await this.#of(sourceOf(document));
    if (then === null) return null;
    if (document.memory !== undefined) return then.units.has(document.id) ? asTagged(hit, this.#asOf) : null;
    const known = then.units.get(unit.id);
    if (known === undefined) return null;
    const { ordinal, location } = known;
    const placed = { ...unit, ordinal, ...(location !== undefined && { location }) };
    return { ...hit, unit: placed, document: { ...document, ...detailsOf(then.row) } };
  }

  /** Returns the chunks that a document had, without what is forgotten or has expired by now. Null: it has not changed since. */
  async chunks(document: DocumentRow): Promise<readonly Unit[] | null> {
    if (!this.#known.has(document.id) && !this.#hasChanged(document)) return null;
    const then = await this.#of(document.id);
    if (then === null) return [];
    const { documents, clock } = this.#sources;
    const { scope } = this.#query;
    const present = await documents.load({ ...scope, access: 'read' }, document.id);
    if (present.status !== 'live') return [];
    if (present.touched.length === 0) return then.chunks;
    const { memories, erased } = await touchedIn(documents, scope, present);
    const touched = [...memories.values()].map(({ memory }) => memory);
    const cuts = cutUnits(readUnits([...then.units.values()]), touched, erased);
    const now = clock.now();
    return then.chunks.flatMap((unit) => shownAt(cuts, unit, now) ?? []);
  }

  /** Or is about to: what is not indexed yet, no search knew. */
  #hasChanged({ updatedAt, stage }: Pick<DocumentRow, 'updatedAt' | 'stage'>): boolean {
    return updatedAt > this.#asOf || stage !== 'done';
  }

  #of(id: string): Promise<Known | null> {
    const known = this.#known.get(id) ?? this.#read(id);
    this.#known.set(id, known);
    return known;
  }

  async #read(id: string): Promise<Known | null> {
    const { past, contents } = this.#sources;
    const found = await past.known({ ...this.#query.scope, access: 'read' }, id, this.#asOf);
    if (found === null) return null;
    const row = toRow(found.details, 0);
    if (!isWanted({ ...this.#query, scope: scopeThen(this.#query) }, row)) return null;
    const units = await contents.allUnits(found.indexed);
    const chunks = units.filter(({ kind }) => kind === 'chunk');
    return { row, chunks, units: new Map(units.map((unit) => [unit.id, unit])) };
  }

  /** Documents of hits, also of those of touched memories, by their ids. */
  async #sourcesOf(hits: readonly Hit[]): Promise<ReadonlyMap<string, DocumentRow>> {
    const own = hits.flatMap(({ document, hasLeft }) => (document.memory === undefined && !hasLeft ? [document] : []));
    const ids = [...new Set(hits.flatMap(({ document: { memory } }) => memory?.documentId ?? []))];
    const found = ids.length === 0 ? [] : await this.#views.documents(this.#query.scope, ids);
    return new Map([...own, ...found].map((row) => [row.id, row]));
  }
}

const detailsOf = ({ tags, metadata, title, filepath, documentDate, customId, updatedAt, summary }: DocumentRow) => ({
  ...{ tags, metadata, title, filepath, documentDate, customId, updatedAt, summary },
});

const sourceOf = ({ id, memory }: DocumentRow): string => memory?.documentId ?? id;
