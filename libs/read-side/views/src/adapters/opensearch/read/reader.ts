import { hasCode, type OrganizationId, type Scope } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type { DocumentRow } from '../../../documents.ts';
import type { ViewsReader } from '../../../port.ts';
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
} from '../../../queries.ts';
import type { LeftOutRows, RowQuery, StreamRow } from '../../../rows.ts';
import { isInScope, isWanted } from '../../../wanted.ts';
import { checkIndices, readVectorSpace } from '../admin/indices.ts';
import { Aliases } from '../aliases.ts';
import { type Body, Connection } from '../connection.ts';
import { rowFrom } from '../documents.ts';
import { LEFT_OUT, leftOutFrom } from '../left-out.ts';
import { expiredBy } from '../moments.ts';
import { documentKey } from '../terms.ts';
import { parseUnitId } from '../units.ts';
import { readCheckpoint, readRecord } from '../write/lease.ts';
import { FoundRows } from './found-rows.ts';
import {
  addedAs,
  byMoment,
  conditionsOf,
  countOf,
  countTypes,
  forPipeline,
  heldSpaces,
  ROW_COLUMNS,
  type RowSource,
  UNFINISHED,
  WITHOUT_SUMMARY,
  withoutSpaces,
} from './lists.ts';
import { MemoryLists } from './memory-lists.ts';
import { page, WINDOW } from './paging.ts';
import { chunksFrom, findChunks, findPassages, passagesFrom } from './passages.ts';
import { readProgress, type ViewsState } from './progress.ts';
import { RowReader } from './rows.ts';
import { ScopeLanguages } from './scope-languages.ts';
import { UnitSearch } from './search.ts';
import { scopeTotals, storedIn, tagTotals } from './tag-totals.ts';
import { termFrequencies } from './term-frequencies.ts';
import { UnitLists } from './unit-lists.ts';

export interface OpenSearchReaderOptions {
  /** One or several, separated by commas. */
  readonly url: string;
  readonly prefix: string;
  /** Units in a scope that is scanned whole; in a larger one candidates are selected. Default: 5000. */
  readonly mostScanned?: number;
}

/** A scan of this many units takes about as long as selecting candidates. */
const MOST_SCANNED = 5_000;
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
  readonly #found: FoundRows;
  readonly #units: UnitLists;
  readonly #memories: MemoryLists;
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
    this.#found = new FoundRows(this.#connection, this.#aliases);
    this.#units = new UnitLists(this.#found);
    this.#memories = new MemoryLists(this.#connection, this.#aliases, this.#found);
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
    const found = await this.#found.documents(keys);
    return keys.flatMap((key) => {
      const row = found.get(key)?.row;
      return row !== undefined && isInScope(scope, row) ? [row] : [];
    });
  }

  async list(query: DocumentListQuery): Promise<{ readonly rows: readonly DocumentRow[]; readonly total: number }> {
    await this.#ready();
    const { rows, total } = await page<RowSource>(
      this.#connection,
      this.#aliases.of('documents'),
      conditionsOf(query),
      {
        ...{ sortBy: byMoment(query.sort), columns: ROW_COLUMNS },
        ...{ order: query.order, offset: query.offset, limit: query.limit },
      },
    );
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

  async units(...asked: Parameters<ViewsReader['units']>) {
    await this.#ready();
    return this.#units.units(...asked);
  }

  async unitsOf(...asked: Parameters<ViewsReader['unitsOf']>) {
    await this.#ready();
    return this.#units.unitsOf(...asked);
  }

  async tags(scope: Scope, now: number): Promise<readonly TagTotals[]> {
    await this.#ready();
    return tagTotals(this.#connection, this.#aliases.of('documents'), scope, now);
  }

  async totals(scope: Scope): Promise<Totals> {
    await this.#ready();
    return scopeTotals(this.#connection, this.#aliases.of('documents'), scope);
  }

  async stored(organization: OrganizationId) {
    await this.#ready();
    return storedIn(this.#connection, this.#aliases.of('documents'), organization);
  }

  async passages(...[scope, wanted]: Parameters<ViewsReader['passages']>) {
    await this.#ready();
    const hits = await findPassages(this.#connection, this.#aliases, scope, wanted);
    const found = passagesFrom(hits, await this.#documentsOf(hits), wanted);
    return found.filter(({ document }) => isInScope(scope, document));
  }

  async chunks(...[scope, named]: Parameters<ViewsReader['chunks']>) {
    await this.#ready();
    const hits = await findChunks(this.#connection, this.#aliases, scope, named);
    const found = chunksFrom(hits, await this.#documentsOf(hits), named);
    return found
      .filter(({ document }) => isInScope(scope, document))
      .map(({ unit, document }) => ({ documentId: document.id, unit }));
  }

  #documentsOf(hits: readonly { readonly _id: string }[]) {
    return this.#found.documents([...new Set(hits.map(({ _id }) => parseUnitId(_id).document))]);
  }

  async countTypes(scope: Scope): Promise<readonly { readonly type: string; readonly count: number }[]> {
    await this.#ready();
    return countTypes(this.#connection, this.#aliases.of('documents'), scope);
  }

  async languages(scope: Scope): Promise<readonly LanguageTotals[]> {
    await this.#ready();
    return this.#languages.totals({ scope });
  }

  async heldSpaces(scope: Scope, spaces: readonly string[]): Promise<readonly HeldSpace[]> {
    if (scope.tags.length === 0) return [];
    await this.#ready();
    return heldSpaces(this.#connection, this.#aliases.of('documents'), scope, spaces);
  }

  async newestMemories(query: NewestMemoriesQuery, limit: number) {
    await this.#ready();
    return this.#memories.newest(query, limit);
  }

  async memories(query: MemoryListQuery) {
    await this.#ready();
    return this.#memories.list(query);
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

  #ready(): Promise<void> {
    this.#checked ??= checkIndices(this.#connection, this.#aliases).catch((error: unknown) => {
      this.#checked = null;
      throw error;
    });
    return this.#checked;
  }
}
