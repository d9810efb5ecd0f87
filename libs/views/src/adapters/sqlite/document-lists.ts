import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { DocumentRow, Unit } from '../../documents.ts';
import type { DocumentListQuery, DocumentQuery, NewestMemoriesQuery } from '../../port.ts';
import { isWanted } from '../../wanted.ts';
import type { DocumentTable } from './documents.ts';
import { numbersByEqualities } from './filtered-lists.ts';
import { type ListedNumbers, listPartitions, orderedNumbers } from './lists.ts';
import { stageNumber } from './rows.ts';
import { activeAt, MEMORY, type Partition, restrictionOf } from './scope.ts';

/** Numbers of documents in all remembered lists: 8 MB. */
const MOST_REMEMBERED = 1_000_000;

const newLists = () =>
  new LRUCache<string, readonly number[]>({ maxSize: MOST_REMEMBERED, sizeCalculation: ({ length }) => length + 1 });

/** Conditions: memories that are lasting facts, or all others. */
const ofKind = ({ isStatic }: NewestMemoriesQuery) =>
  isStatic === undefined ? [] : [{ sql: isStatic ? 'is_static = 1' : 'is_static IS NULL', params: [] }];

/** Lists of documents with their rows. Every call has to run inside one read transaction. */
export class DocumentLists {
  readonly #db: DatabaseSync;
  readonly #documents: DocumentTable;
  readonly #version: StatementSync;
  /** The documents of lists that were paged last, as long as nothing is written. */
  #found: { readonly version: number; readonly lists: LRUCache<string, readonly number[]> };

  constructor(db: DatabaseSync, documents: DocumentTable) {
    this.#db = db;
    this.#documents = documents;
    // Grows whenever the writer commits.
    this.#version = db.prepare('PRAGMA data_version');
    this.#found = { version: -1, lists: newLists() };
  }

  /** Returns a page, and how many documents the list has in all. */
  list(
    query: DocumentListQuery,
    partitions: readonly Partition[],
  ): { readonly rows: readonly DocumentRow[]; readonly total: number } {
    const { numbers, total } = this.#byEqualities(query, partitions) ?? listPartitions(this.#db, query, partitions);
    return { rows: [...this.#rows(query, numbers)].map(({ row }) => row), total };
  }

  #byEqualities(query: DocumentListQuery, partitions: readonly Partition[]): ListedNumbers | null {
    const { offset, limit, ...list } = query;
    const { data_version: version } = this.#version.get() as { data_version: number };
    if (version !== this.#found.version) this.#found = { version, lists: newLists() };
    const key = JSON.stringify(list);
    const numbers = this.#found.lists.get(key) ?? numbersByEqualities(this.#db, query, partitions);
    if (numbers === null) return null;
    this.#found.lists.set(key, numbers);
    return { numbers: numbers.slice(offset, offset + limit), total: numbers.length };
  }

  /** Returns the newest memories, recorded directly or of documents that are done. */
  newestMemories(
    query: NewestMemoriesQuery,
    limit: number,
    partitions: readonly Partition[],
  ): { readonly unit: Unit; readonly document: DocumentRow }[] {
    const restriction = restrictionOf(query);
    const conditions = [
      { sql: '(stage = ? OR type = ?)', params: [stageNumber('done'), MEMORY] },
      ...ofKind(query),
      { sql: 'EXISTS (SELECT 1 FROM units WHERE document = documents.no AND kind = 1)', params: [] },
      ...(restriction === null ? [] : [restriction]),
      ...activeAt(query),
    ];
    const page = { sort: 'createdAt', order: 'desc', offset: 0, limit } as const;
    const numbers = orderedNumbers(
      this.#db,
      { ...query, holds: 'both' },
      partitions,
      conditions,
      page,
      restriction !== null,
    );
    const found: { readonly unit: Unit; readonly document: DocumentRow }[] = [];
    for (const { no, row } of this.#rows(query, numbers)) {
      const units = this.#documents.lastUnits(no, 'memory', limit - found.length);
      found.push(...units.map((unit) => ({ unit, document: row })));
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Lazy, so that a caller that has enough reads no more. */
  *#rows(
    query: DocumentQuery,
    numbers: readonly number[],
  ): Generator<{ readonly no: number; readonly row: DocumentRow }> {
    for (const no of numbers) {
      const row = this.#documents.row(no);
      if (row !== null && isWanted(query, row)) yield { no, row };
    }
  }
}
