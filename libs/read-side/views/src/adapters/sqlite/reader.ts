import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OrganizationId, Scope } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type { DocumentRow, Unit, UnitKind } from '../../documents.ts';
import type { ViewsReader } from '../../port.ts';
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
} from '../../queries.ts';
import type { LeftOutRows, RowQuery, StreamRow } from '../../rows.ts';
import { isInScope } from '../../wanted.ts';
import { translatingErrors } from './damage.ts';
import { DocumentLists } from './document-lists.ts';
import { DocumentTable } from './documents.ts';
import { type Selection, Selections } from './former-tags.ts';
import { LanguageReader } from './languages.ts';
import { countTypes } from './lists.ts';
import { KINDS, OF_PASSAGES } from './numbers.ts';
import { PassageLists } from './passages.ts';
import { RowReader } from './row-reader.ts';
import { madeFor, openForReading } from './schema.ts';
import { listedAsOf, type Partition, partitionsHolding, pastOf, readsFormers, ScopedPartitions } from './scope.ts';
import { UnitSearch } from './search.ts';
import { sentNumbers } from './sent.ts';
import { storedIn, tagTotals } from './tag-totals.ts';
import { PipelineLists } from './unfinished.ts';

export interface SqliteViewsReaderOptions {
  readonly path: string;
  /** Bytes. Budget of the resident index entries. 0: everything is read from the file. */
  readonly cacheBytes: number;
}

/** Partitions that are considered at the start. */
const MOST_WARMED = 2_000;
/** Bytes of entries: a few milliseconds of reading. */
const LARGEST_WARMED = 4 * 1024 * 1024;

/**
 * The read side of the views. Every call is one short read transaction that ends before the call returns. A file that
 * is damaged where it is read rejects with ViewsDamagedError. For the search thread.
 */
export class SqliteViewsReader implements ViewsReader {
  readonly #db: DatabaseSync;
  readonly #partitions: ScopedPartitions;
  readonly #selections: Selections;
  readonly #documents: DocumentTable;
  readonly #lists: DocumentLists;
  readonly #passages: PassageLists;
  readonly #search: UnitSearch;
  readonly #pipeline: PipelineLists;
  readonly #models: RowReader;
  readonly #languages: LanguageReader;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #checkpoint: StatementSync;

  /** @throws Error if there is no file, ViewsDamagedError if it is unusable: a writer has to open it first */
  static open(options: SqliteViewsReaderOptions): SqliteViewsReader {
    return translatingErrors(() => new SqliteViewsReader(options));
  }

  private constructor({ path, cacheBytes }: SqliteViewsReaderOptions) {
    const db = openForReading(path);
    this.#db = db;
    this.#partitions = new ScopedPartitions(db);
    this.#selections = new Selections(db, this.#partitions);
    this.#documents = new DocumentTable(db);
    this.#lists = new DocumentLists(db, this.#documents);
    this.#passages = new PassageLists(db, this.#documents);
    this.#search = new UnitSearch(db, this.#documents, cacheBytes);
    this.#pipeline = new PipelineLists(db);
    this.#models = new RowReader(db);
    this.#languages = new LanguageReader(db);
    this.#begin = db.prepare('BEGIN');
    this.#end = db.prepare('COMMIT');
    // While the documents are being built, the views are only as far as the log has been read for them.
    this.#checkpoint = db.prepare(
      `SELECT CASE WHEN until IS NULL THEN position ELSE after END AS position
        FROM checkpoint LEFT JOIN read_models ON name = 'documents'`,
    );
  }

  /** Resident memory at this moment. */
  get stats(): { readonly residentBytes: number; readonly residentSegments: number } {
    return { residentBytes: this.#search.resident.bytes, residentSegments: this.#search.resident.segments };
  }

  /**
   * Loads the partitions that were written last, as far as the budget goes, so that the first searches need not read
   * the file. One partition per step; calls are answered between steps.
   */
  *warm(): Generator<void> {
    for (const no of this.#read(() => this.#partitions.newest(MOST_WARMED))) {
      yield;
      if (!this.#db.isOpen || !this.#read(() => this.#warmOne(no))) return;
    }
  }

  async vectorSpace(): Promise<string | null> {
    return translatingErrors(() => madeFor(this.#db));
  }

  async checkpoint(): Promise<Position | null> {
    const row = translatingErrors(() => this.#checkpoint.get()) as { position: Position | null } | undefined;
    return row?.position ?? null;
  }

  async documents(scope: Scope, ids: readonly string[]): Promise<readonly DocumentRow[]> {
    return this.#read(() => [...new Set(ids)].flatMap((id) => this.#inScope(scope, id)?.row ?? []));
  }

  async list(query: DocumentListQuery): Promise<{ readonly rows: readonly DocumentRow[]; readonly total: number }> {
    return this.#read(() => this.#lists.list(query, this.#partitions.of(query.scope)));
  }

  async addedAs(
    scope: Scope,
    sent: readonly string[],
    { since, until }: Parameters<ViewsReader['addedAs']>[2],
  ): Promise<readonly DocumentRow[]> {
    const wanted: ReadonlySet<string | undefined> = new Set(sent);
    return this.#read(() =>
      this.#documents
        .withSent(sentNumbers(sent, since, until))
        .filter((row) => isInScope(scope, row) && wanted.has(row.sent) && isBetween(row.createdAt, since, until)),
    );
  }

  async search(query: UnitSearchQuery): Promise<readonly UnitHit[]> {
    return this.#read(() => this.#search.search(query, this.#selections.of(query, pastOf(query))));
  }

  async termFrequencies(query: TermQuery): Promise<readonly number[]> {
    return this.#read(() => this.#search.termFrequencies(query, this.#partitions.of(query.scope)));
  }

  async units(
    scope: Scope,
    wanted: readonly { readonly documentId: string; readonly kind: UnitKind; readonly ordinals: readonly number[] }[],
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]> {
    return this.#read(() =>
      wanted.flatMap(({ documentId, kind, ordinals }) => {
        const no = this.#inScope(scope, documentId)?.no;
        if (no === undefined) return [];
        return ordinals.flatMap((ordinal) => {
          const unit = this.#documents.unit(no, kind, ordinal);
          return unit === null ? [] : [{ documentId, unit }];
        });
      }),
    );
  }

  async tags(scope: Scope, now: number): Promise<readonly TagTotals[]> {
    return this.#read(() => tagTotals(this.#db, scope, now));
  }

  async totals(scope: Scope): Promise<Totals> {
    const partitions = this.#read(() => this.#partitions.of(scope));
    const sum = (some: readonly Partition[], of: 'documents' | 'memories') =>
      some.reduce((all, partition) => all + partition[of], 0);
    const touched = partitions.filter(({ direct }) => direct === OF_PASSAGES);
    return {
      documents: sum(partitionsHolding(partitions), 'documents'),
      // Their documents hold the touched ones as well.
      memories: sum(partitionsHolding(partitions, 'both'), 'memories') - sum(touched, 'documents'),
    };
  }

  async stored(organization: OrganizationId) {
    return this.#read(() => storedIn(this.#db, organization));
  }

  async unitsOf(
    scope: Scope,
    { documentIds, kind, limit }: Parameters<ViewsReader['unitsOf']>[1],
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]> {
    return this.#read(() => {
      const found: { readonly documentId: string; readonly unit: Unit }[] = [];
      for (const documentId of new Set(documentIds)) {
        if (found.length >= limit) break;
        const no = this.#inScope(scope, documentId)?.no;
        if (no === undefined) continue;
        const units = this.#documents.firstUnits(no, kind, limit - found.length);
        found.push(...units.map((unit) => ({ documentId, unit })));
      }
      return found;
    });
  }

  async passages(...[scope, wanted]: Parameters<ViewsReader['passages']>) {
    return this.#read(() => this.#passages.named(scope, wanted));
  }

  async chunks(...[scope, named]: Parameters<ViewsReader['chunks']>) {
    return this.#read(() => this.#passages.chunks(scope, named));
  }

  async countTypes(scope: Scope): Promise<readonly { readonly type: string; readonly count: number }[]> {
    return this.#read(() => countTypes(this.#db, scope, this.#partitions.of(scope)));
  }

  async languages(scope: Scope): Promise<readonly LanguageTotals[]> {
    return this.#read(() => this.#languages.of(this.#partitions.of(scope)));
  }

  async heldSpaces(scope: Scope, spaces: readonly string[]): Promise<readonly HeldSpace[]> {
    return this.#read(() => this.#search.heldSpaces(this.#partitions.of(scope), spaces));
  }

  async newestMemories(
    query: NewestMemoriesQuery,
    limit: number,
  ): Promise<readonly { readonly unit: Unit; readonly document: DocumentRow }[]> {
    return this.#read(() => this.#lists.newestMemories(query, limit, this.#listed(query)));
  }

  async memories(query: MemoryListQuery) {
    return this.#read(() => this.#lists.memories(query, this.#listed(query)));
  }

  async rows(query: RowQuery): Promise<{ readonly rows: readonly StreamRow[]; readonly total: number }> {
    return this.#read(() => this.#models.rows(query));
  }

  async leftOut(): Promise<readonly LeftOutRows[]> {
    return this.#read(() => this.#models.leftOut());
  }

  async unfinished(page: PipelinePage): Promise<readonly UnfinishedDocument[]> {
    return this.#read(() => this.#pipeline.unfinished(page));
  }

  async countUnfinished(): Promise<number> {
    return this.#read(() => this.#pipeline.countUnfinished());
  }

  async withoutVectors(
    page: PipelinePage & { readonly spaces: readonly string[] },
  ): Promise<readonly UnfinishedDocument[]> {
    return this.#read(() => this.#pipeline.withoutVectors(page));
  }

  async withoutSummary(page: PipelinePage): Promise<readonly UnfinishedDocument[]> {
    return this.#read(() => this.#pipeline.withoutSummary(page));
  }

  async countWithoutSummary(): Promise<number> {
    return this.#read(() => this.#pipeline.countWithoutSummary());
  }

  async expired(until: number, limit: number): Promise<readonly UnfinishedDocument[]> {
    return this.#read(() => this.#pipeline.expired(until, limit));
  }

  async close(): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }

  #listed(query: MemoryListQuery | NewestMemoriesQuery): Selection {
    const { partitions, moved } = this.#selections.of(query, readsFormers(query) ? 'versions' : 'none');
    return { partitions: query.asOf === undefined ? partitions : listedAsOf(partitions), moved };
  }

  /** Runs `work` in one read transaction. It must be short: a reader blocks the truncation of the log. */
  #read<T>(work: () => T): T {
    return translatingErrors(() => {
      this.#begin.run();
      try {
        return work();
      } finally {
        // SQLite ends the transaction by itself on some errors.
        if (this.#db.isTransaction) this.#end.run();
      }
    });
  }

  /** @returns false: the budget is used up */
  #warmOne(no: number): boolean {
    const partition = this.#partitions.numbered(no);
    // A large partition would delay calls for too long.
    if (partition === null || partition.memory_bytes + partition.chunk_bytes > LARGEST_WARMED) return true;
    return KINDS.every((kind) => this.#search.resident.warm(partition, kind));
  }

  #inScope(scope: Scope, id: string): { readonly no: number; readonly row: DocumentRow } | null {
    const no = this.#documents.numberOf(scope.organization, id);
    const row = no === null ? null : this.#documents.row(no);
    return no === null || row === null || !isInScope(scope, row) ? null : { no, row };
  }
}

const isBetween = (at: number, since: number, until: number): boolean => since <= at && at <= until;
