import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { DocumentRow, Unit } from '../../documents.ts';
import { asOfDocument, cutTime } from '../../pieces.ts';
import type {
  DocumentListQuery,
  DocumentQuery,
  ListedUnit,
  MemoryListQuery,
  NewestMemoriesQuery,
} from '../../queries.ts';
import { countOfOrdinals, noRepeats, repeatedIn } from '../../repeats.ts';
import { isWanted } from '../../wanted.ts';
import type { DocumentTable } from './documents.ts';
import { numbersByEqualities } from './filtered-lists.ts';
import { allOf, type Sql } from './filters.ts';
import type { Selection } from './former-tags.ts';
import { inPartitions, type ListedNumbers, listPartitions, orderedNumbers } from './lists.ts';
import { repeatsIn } from './repeats.ts';
import { activeAt, MEMORIES, type Partition, pieceAt, readsFormers, restrictionOf, thereAt, validOn } from './scope.ts';

/** Numbers of documents in all remembered lists: 8 MB. */
const MOST_REMEMBERED = 1_000_000;

const newLists = () =>
  new LRUCache<string, readonly number[]>({ maxSize: MOST_REMEMBERED, sizeCalculation: ({ length }) => length + 1 });

/** Conditions: memories that are lasting facts, or all others. */
const ofKind = ({ isStatic }: NewestMemoriesQuery) =>
  isStatic === undefined ? [] : [{ sql: isStatic ? 'is_static = 1' : 'is_static IS NULL', params: [] }];

const LEFT = 'FROM left_units WHERE kind = 1 AND since <= ?';

/** Condition: with a memory that is not left out; the row of a memory holds it. */
const holdsMemories = (at: number): Sql => ({
  sql: `(type IN (${MEMORIES}) OR EXISTS (SELECT 1 FROM units WHERE document = documents.no AND kind = 1 AND NOT EXISTS (
    SELECT 1 ${LEFT} AND document = units.document AND ordinal = units.ordinal)))`,
  params: [at],
});

/** Memories of a document that are not left out; ordinals have no gap. */
const SHOWN_MEMORIES = `CASE WHEN type IN (${MEMORIES}) THEN 1 ELSE
  (SELECT max(ordinal) + 1 FROM units WHERE document = documents.no AND kind = 1)
  - (SELECT count(*) ${LEFT} AND document = documents.no) END`;

/** Conditions: rows with memories that the time of the query shows. */
function withMemories(query: DocumentQuery, { moved }: Selection) {
  const restriction = restrictionOf(query);
  return [
    holdsMemories(cutTime(query)),
    ...(moved === null ? [] : [moved.condition]),
    ...(restriction === null ? [] : [restriction]),
    ...activeAt(query),
    ...pieceAt(query),
    ...thereAt(query),
    ...validOn(query),
  ];
}

const NEWEST = { order: 'desc', offset: 0 } as const;

/** Documents whose memories are counted at once. */
const COUNTED_AT_ONCE = 500;

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
    selection: Selection,
  ): { readonly unit: Unit; readonly document: DocumentRow }[] {
    const restriction = restrictionOf(query);
    const conditions = [...ofKind(query), ...withMemories(query, selection)];
    const page = { sort: 'createdAt', order: 'desc', offset: 0, limit } as const;
    const numbers = orderedNumbers(
      this.#db,
      { ...query, holds: 'both' },
      selection.partitions,
      conditions,
      page,
      restriction !== null || readsFormers(query),
    );
    const found: { readonly unit: Unit; readonly document: DocumentRow }[] = [];
    for (const { no, row } of this.#rows(query, numbers)) {
      const units = this.#documents.memories(no, { ...NEWEST, at: cutTime(query), limit: limit - found.length });
      found.push(...units.map((unit) => asOfDocument({ unit, document: row })));
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Returns a page of memories, and how many there are in all. */
  memories(query: MemoryListQuery, selection: Selection): { readonly memories: ListedUnit[]; readonly total: number } {
    const at = cutTime(query);
    const { partitions } = selection;
    const conditions = withMemories(query, selection);
    const where = allOf([inPartitions(partitions), ...conditions]);
    const { all } = this.#db
      .prepare(`SELECT coalesce(sum(${SHOWN_MEMORIES}), 0) AS "all" FROM documents WHERE ${where.sql}`)
      .get(at, ...where.params) as { all: number };
    const repeats = query.isGrouped ? repeatsIn(this.#db, partitions, conditions, at) : noRepeats<number>();
    const total = all - countOfOrdinals(repeats.later);
    const memories: ListedUnit[] = [];
    const count = this.#db.prepare(`SELECT ${SHOWN_MEMORIES} AS count FROM documents WHERE no = ?`);
    let skip = query.offset;
    const isFull = () => memories.length >= query.limit;
    for (let offset = 0; !isFull() && query.offset < total; offset += COUNTED_AT_ONCE) {
      const page = { ...query, offset, limit: COUNTED_AT_ONCE };
      const numbers = orderedNumbers(this.#db, { ...query, holds: 'both' }, partitions, conditions, page, true);
      for (const no of numbers) {
        const repeated = repeats.later.get(no);
        const own = (count.get(at, no) as { count: number }).count - (repeated?.size ?? 0);
        const row = skip < own ? this.#documents.row(no) : null;
        if (row !== null && isWanted(query, row)) {
          const wanted = { order: query.order, at, offset: skip, limit: query.limit - memories.length };
          const units = this.#documents.memories(no, wanted, repeated);
          memories.push(...units.map((unit) => repeatedIn(repeats, asOfDocument({ unit, document: row }))));
        }
        skip = Math.max(0, skip - own);
        if (isFull()) break;
      }
      if (numbers.length < COUNTED_AT_ONCE) break;
    }
    return { memories, total };
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
