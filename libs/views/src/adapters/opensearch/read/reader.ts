import type { Position } from '#event-store';
import { hasCode, type Scope } from '#kernel';
import type { DocumentRow, Unit, UnitKind } from '../../../documents.ts';
import { asOfDocument, cutTime } from '../../../pieces.ts';
import type {
  DocumentListQuery,
  HeldSpace,
  LanguageTotals,
  MemoryListQuery,
  NewestMemoriesQuery,
  PipelinePage,
  TagTotals,
  TermQuery,
  Totals,
  UnfinishedDocument,
  UnitHit,
  UnitSearchQuery,
  ViewsReader,
} from '../../../port.ts';
import { countOfOrdinals, noRepeats, repeatedIn } from '../../../repeats.ts';
import type { LeftOutRows, RowQuery, StreamRow } from '../../../rows.ts';
import { isInScope, isWanted } from '../../../wanted.ts';
import { checkIndices, readVectorSpace } from '../admin/indices.ts';
import { Aliases } from '../aliases.ts';
import { type Body, Connection, type Hit } from '../connection.ts';
import { rowFrom } from '../documents.ts';
import { LEFT_OUT, leftOutFrom } from '../left-out.ts';
import { expiredBy } from '../moments.ts';
import { documentKey } from '../terms.ts';
import { parseUnitId, STORED_UNIT, storedUnit, unitFrom, unitId } from '../units.ts';
import { readCheckpoint, readRecord } from '../write/lease.ts';
import {
  addedAs,
  byMoment,
  countOf,
  countTypes,
  type FoundDocument,
  forPipeline,
  foundDocument,
  heldSpaces,
  listed,
  ROW_COLUMNS,
  type RowSource,
  UNFINISHED,
  WITHOUT_SUMMARY,
  withMemories,
  withoutSpaces,
} from './lists.ts';
import { countMemories, leftMemories, type MemoryPlaces, placesOfMemories } from './memory-places.ts';
import { page, WINDOW } from './paging.ts';
import { findPassages, passagesFrom } from './passages.ts';
import { readProgress, type ViewsState } from './progress.ts';
import { repeatsIn } from './repeats.ts';
import { RowReader } from './rows.ts';
import { ScopeLanguages } from './scope-languages.ts';
import { UnitSearch } from './search.ts';
import { scopeTotals, tagTotals } from './tag-totals.ts';
import { termFrequencies } from './term-frequencies.ts';

export interface OpenSearchReaderOptions {
  /** One or several, separated by commas. */
  readonly url: string;
  readonly prefix: string;
  /** Units in a scope that is scanned whole; in a larger one candidates are selected. Default: 5000. */
  readonly mostScanned?: number;
}

/** A scan of this many units takes about as long as selecting candidates. */
const MOST_SCANNED = 5_000;
/** Ids in one search. */
const FOUND_AT_ONCE = 1_000;

/**
 * The read side of the views in OpenSearch. Every call rejects with `ViewsUnreachableError` while OpenSearch or its
 * indices are missing, and works again when they are back.
 */
export class OpenSearchViewsReader implements ViewsReader {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  readonly #search: UnitSearch;
  readonly #languages: ScopeLanguages;
  readonly #rows: RowReader;
  #checked: Promise<void> | null = null;

  /**
   * Opens the reader even if OpenSearch is unreachable: the shape of the indices is checked as soon as possible.
   * @throws ViewsShapeError if they are of another version
   */
  static async open(options: OpenSearchReaderOptions): Promise<OpenSearchViewsReader> {
    const reader = new OpenSearchViewsReader(options);
    try {
      await reader.#ready();
    } catch (error) {
      if (!hasCode(error, 'views_unreachable', 'views_missing')) {
        await reader.close();
        throw error;
      }
    }
    return reader;
  }

  private constructor({ url, prefix, mostScanned = MOST_SCANNED }: OpenSearchReaderOptions) {
    this.#connection = new Connection(url);
    this.#aliases = new Aliases(prefix);
    this.#rows = new RowReader(this.#connection, this.#aliases);
    this.#languages = new ScopeLanguages(this.#connection, this.#aliases);
    this.#search = new UnitSearch(this.#connection, this.#aliases, this.#languages, mostScanned);
  }

  /** Number of searches so far, concurrent ones counted once, and the milliseconds that OpenSearch reports for them. */
  get spent(): { readonly trips: number; readonly took: number } {
    return this.#connection.spent;
  }

  async checkpoint(): Promise<Position | null> {
    await this.#ready();
    return readCheckpoint(this.#connection, this.#aliases.of('meta'));
  }

  /** Returns the checkpoint, and how far the views are if they are further but for units of some documents. */
  async progress(): Promise<ViewsState> {
    await this.#ready();
    return readProgress(this.#connection, this.#aliases);
  }

  async vectorSpace(): Promise<string | null> {
    return readVectorSpace(this.#connection, this.#aliases);
  }

  async documents(scope: Scope, ids: readonly string[]): Promise<readonly DocumentRow[]> {
    await this.#ready();
    const keys = [...new Set(ids)].map((id) => documentKey(scope.organization, id));
    const found = await this.#documents(keys);
    return keys.flatMap((key) => {
      const row = found.get(key)?.row;
      return row !== undefined && isInScope(scope, row) ? [row] : [];
    });
  }

  async list(query: DocumentListQuery): Promise<{ readonly rows: readonly DocumentRow[]; readonly total: number }> {
    await this.#ready();
    const { rows, total } = await page<RowSource>(this.#connection, this.#aliases.of('documents'), listed(query), {
      ...{ sortBy: byMoment(query.sort), columns: ROW_COLUMNS },
      ...{ order: query.order, offset: query.offset, limit: query.limit },
    });
    return { rows: rows.map(({ _source }) => rowFrom(_source.row)).filter((row) => isWanted(query, row)), total };
  }

  async addedAs(...[scope, sent, between]: Parameters<ViewsReader['addedAs']>): Promise<readonly DocumentRow[]> {
    await this.#ready();
    const newest = { sortBy: byMoment('createdAt'), order: 'desc', offset: 0, limit: WINDOW } as const;
    const index = this.#aliases.of('documents');
    const asked = { ...newest, columns: ROW_COLUMNS };
    const { rows } = await page<RowSource>(this.#connection, index, addedAs(scope, sent, between), asked);
    return rows.map(({ _source }) => rowFrom(_source.row)).filter((row) => isInScope(scope, row));
  }

  async search(query: UnitSearchQuery): Promise<readonly UnitHit[]> {
    await this.#ready();
    return this.#search.search(query);
  }

  async termFrequencies(query: TermQuery): Promise<readonly number[]> {
    await this.#ready();
    return termFrequencies(this.#connection, this.#aliases, query);
  }

  async units(
    scope: Scope,
    wanted: readonly { readonly documentId: string; readonly kind: UnitKind; readonly ordinals: readonly number[] }[],
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]> {
    await this.#ready();
    const keyed = wanted.map((each) => ({ ...each, key: documentKey(scope.organization, each.documentId) }));
    const documents = await this.#documents([...new Set(keyed.map(({ key }) => key))]);
    const own = keyed.filter(({ key }) => isInScope(scope, documents.get(key)?.row ?? NOBODY));
    const ids = own.flatMap(({ key, kind, ordinals }) => ordinals.map((ordinal) => unitId(key, kind, ordinal)));
    const units = await this.#units([...new Set(ids)], documents);
    return own.flatMap(({ documentId, key, kind, ordinals }) =>
      ordinals.flatMap((ordinal) => {
        const unit = units.get(unitId(key, kind, ordinal));
        return unit === undefined ? [] : [{ documentId, unit }];
      }),
    );
  }

  async tags(scope: Scope, now: number): Promise<readonly TagTotals[]> {
    await this.#ready();
    return tagTotals(this.#connection, this.#aliases.of('documents'), scope, now);
  }

  async totals(scope: Scope): Promise<Totals> {
    await this.#ready();
    return scopeTotals(this.#connection, this.#aliases.of('documents'), scope);
  }

  async unitsOf(
    scope: Scope,
    { documentIds, kind, limit }: Parameters<ViewsReader['unitsOf']>[1],
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]> {
    await this.#ready();
    const keys = new Map([...new Set(documentIds)].map((id) => [documentKey(scope.organization, id), id]));
    const documents = await this.#documents([...keys.keys()]);
    const ids: string[] = [];
    for (const key of keys.keys()) {
      const document = documents.get(key);
      if (document === undefined || !isInScope(scope, document.row)) continue;
      const count = Math.min(kind === 'chunk' ? document.chunks : document.memories, limit - ids.length);
      for (let ordinal = 0; ordinal < count; ordinal++) ids.push(unitId(key, kind, ordinal));
    }
    const units = await this.#units(ids, documents);
    return ids.flatMap((id) => {
      const unit = units.get(id);
      const documentId = keys.get(parseUnitId(id).document);
      return unit === undefined || documentId === undefined ? [] : [{ documentId, unit }];
    });
  }

  async passages(...[scope, wanted]: Parameters<ViewsReader['passages']>) {
    await this.#ready();
    const hits = await findPassages(this.#connection, this.#aliases, scope, wanted);
    const documents = await this.#documents([...new Set(hits.map(({ _id }) => parseUnitId(_id).document))]);
    return passagesFrom(hits, documents, wanted).filter(({ document }) => isInScope(scope, document));
  }

  async countTypes(scope: Scope): Promise<readonly { readonly type: string; readonly count: number }[]> {
    await this.#ready();
    return countTypes(this.#connection, this.#aliases.of('documents'), scope);
  }

  async languages(scope: Scope): Promise<readonly LanguageTotals[]> {
    await this.#ready();
    return this.#languages.totals(scope);
  }

  async heldSpaces(scope: Scope, spaces: readonly string[]): Promise<readonly HeldSpace[]> {
    if (scope.tags.length === 0) return [];
    await this.#ready();
    return heldSpaces(this.#connection, this.#aliases.of('documents'), scope, spaces);
  }

  async newestMemories(query: NewestMemoriesQuery, limit: number) {
    await this.#ready();
    if (limit <= 0) return [];
    const order = { sort: 'createdAt', order: 'desc', offset: 0, limit } as const;
    return this.#shown(
      await placesOfMemories(this.#connection, this.#aliases, withMemories(query, 'done'), { ...query, ...order }),
    );
  }

  async memories(query: MemoryListQuery) {
    await this.#ready();
    const conditions = withMemories(query, 'any');
    const own = [this.#connection, this.#aliases] as const;
    const [all, left] = await Promise.all([
      countMemories(...own, conditions),
      leftMemories(...own, conditions, query.cutAt),
    ]);
    const repeats = query.isGrouped
      ? await repeatsIn(...own, { ...query, cutAt: cutTime(query) }, left)
      : noRepeats<string>();
    const places = await placesOfMemories(...own, conditions, query, repeats);
    const memories = (await this.#shown(places)).map((one) => repeatedIn(repeats, one));
    return { memories, total: all - countOfOrdinals(left) - countOfOrdinals(repeats.later) };
  }

  async rows(query: RowQuery): Promise<{ readonly rows: readonly StreamRow[]; readonly total: number }> {
    await this.#ready();
    return this.#rows.rows(query);
  }

  async leftOut(): Promise<readonly LeftOutRows[]> {
    await this.#ready();
    return leftOutFrom(await readRecord<readonly string[]>(this.#connection, this.#aliases.of('meta'), LEFT_OUT));
  }

  async unfinished(asked: PipelinePage): Promise<readonly UnfinishedDocument[]> {
    await this.#ready();
    return forPipeline(this.#connection, this.#aliases.of('documents'), UNFINISHED, asked);
  }

  async countUnfinished(): Promise<number> {
    await this.#ready();
    return countOf(this.#connection, this.#aliases.of('documents'), UNFINISHED);
  }

  async withoutVectors(
    asked: PipelinePage & { readonly spaces: readonly string[] },
  ): Promise<readonly UnfinishedDocument[]> {
    await this.#ready();
    return forPipeline(this.#connection, this.#aliases.of('documents'), withoutSpaces(asked.spaces), asked);
  }

  async withoutSummary(asked: PipelinePage): Promise<readonly UnfinishedDocument[]> {
    await this.#ready();
    return forPipeline(this.#connection, this.#aliases.of('documents'), WITHOUT_SUMMARY, asked);
  }

  async countWithoutSummary(): Promise<number> {
    await this.#ready();
    return countOf(this.#connection, this.#aliases.of('documents'), WITHOUT_SUMMARY);
  }

  async expired(until: number, limit: number): Promise<readonly UnfinishedDocument[]> {
    await this.#ready();
    const query: Body = { bool: { filter: [expiredBy(until)] } };
    return forPipeline(this.#connection, this.#aliases.of('documents'), query, { after: null, limit });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Reads the units of places in documents. */
  async #shown({ ids, documents }: MemoryPlaces) {
    const units = await this.#units(ids, documents);
    return ids.flatMap((id) => {
      const unit = units.get(id);
      const document = documents.get(parseUnitId(id).document)?.row;
      return unit === undefined || document === undefined ? [] : [asOfDocument({ unit, document })];
    });
  }

  #ready(): Promise<void> {
    this.#checked ??= checkIndices(this.#connection, this.#aliases).catch((error: unknown) => {
      this.#checked = null;
      throw error;
    });
    return this.#checked;
  }

  async #documents(keys: readonly string[]): Promise<ReadonlyMap<string, FoundDocument>> {
    const hits = await this.#byIds<RowSource>('documents', keys, { _source: ROW_COLUMNS });
    // A tombstone has no row.
    return new Map(hits.filter(({ _source }) => 'row' in _source).map((hit) => [hit._id, foundDocument(hit)]));
  }

  /** Reads units by their ids; units that are older than their document's are left out. */
  async #units(
    ids: readonly string[],
    documents: ReadonlyMap<string, FoundDocument>,
  ): Promise<ReadonlyMap<string, Unit>> {
    const found = new Map<string, Unit>();
    for (const hit of await this.#byIds('units', ids, STORED_UNIT)) {
      const place = parseUnitId(hit._id);
      const document = documents.get(place.document);
      const stored = storedUnit(hit);
      if (document === undefined || stored === null || stored.revision < document.unitsRevision) continue;
      found.set(hit._id, unitFrom(place, stored.json));
    }
    return found;
  }

  async #byIds<Source = unknown>(
    index: 'documents' | 'units',
    ids: readonly string[],
    columns: Body,
  ): Promise<Hit<Source>[]> {
    const hits: Hit<Source>[] = [];
    for (let from = 0; from < ids.length; from += FOUND_AT_ONCE) {
      const values = ids.slice(from, from + FOUND_AT_ONCE);
      const body = { query: { ids: { values } }, size: values.length, track_total_hits: false, ...columns };
      const [answer] = await this.#connection.search([{ index: this.#aliases.of(index), body }]);
      hits.push(...((answer?.hits.hits ?? []) as Hit<Source>[]));
    }
    return hits;
  }
}

/** Is in no scope. */
const NOBODY = { organization: '', tags: [] };
