import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OrganizationId } from '#kernel';
import type { DocumentRow } from '../../documents.ts';
import type { DocumentQuery } from '../../queries.ts';
import { toColumn } from '../../text.ts';
import { namesTagsThen, rankedScope } from '../../wanted.ts';
import type { Sql } from './filters.ts';
import { firstNumber, lastNumber, partitionOf } from './numbers.ts';
import type { Partition, Past, ScopedPartitions } from './scope.ts';

/** Writes which tags rows had until these were changed. */
export class FormerTagWriter {
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #move: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT OR IGNORE INTO former_tags VALUES (?, ?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM former_tags WHERE document = ?');
    this.#move = db.prepare('UPDATE former_tags SET document = ? WHERE document = ?');
  }

  insert(no: number, { organization, formerTags = [] }: Pick<DocumentRow, 'organization' | 'formerTags'>): void {
    let since = 0;
    for (const { tags, until } of formerTags) {
      // The clocks of processes may differ.
      if (until <= since) continue;
      for (const tag of tags) this.#insert.run(toColumn(organization), toColumn(tag), since, until, no);
      since = until;
    }
  }

  delete(no: number): void {
    this.#delete.run(no);
  }

  move(from: number, to: number): void {
    this.#move.run(to, from);
  }
}

/** What the tags of a query select. */
export interface Selection {
  readonly partitions: readonly Partition[];
  /** By the tags of then. Null: by those of today. */
  readonly moved: MovedRows | null;
}

/** Rows that have other tags than at the time of a query. */
export class MovedRows {
  /** Those that had one of the tags of the query, by the numbers of their partitions. */
  readonly had: ReadonlyMap<number, ReadonlySet<number>>;
  /** Those that had none of them, though they have one today. */
  readonly #hadNot: ReadonlySet<number>;
  /** Numbers of partitions in which only rows that had one count. */
  readonly #others: ReadonlySet<number>;

  constructor(had: MovedRows['had'], hadNot: ReadonlySet<number>, others: ReadonlySet<number>) {
    this.had = had;
    this.#hadNot = hadNot;
    this.#others = others;
  }

  /** Whether only rows that had one of the tags count in a partition. */
  isOther({ no }: Pick<Partition, 'no'>): boolean {
    return this.#others.has(no);
  }

  /** Whether a row counts, which is in one of the partitions of the selection. */
  counts(no: number): boolean {
    const partition = partitionOf(no);
    return this.#others.has(partition) ? this.had.get(partition)?.has(no) === true : !this.#hadNot.has(no);
  }

  /** Condition: the row counts. */
  get condition(): Sql {
    const had = [...this.#others].flatMap((no) => [...(this.had.get(no) ?? [])]);
    return {
      sql: `(no IN (SELECT value FROM json_each(?)) OR (partition NOT IN (SELECT value FROM json_each(?))
        AND no NOT IN (SELECT value FROM json_each(?))))`,
      params: [had, [...this.#others], [...this.#hadNot]].map((numbers) => JSON.stringify(numbers)),
    };
  }
}

/** Finds what queries select by their tags. */
export class Selections {
  readonly #partitions: ScopedPartitions;
  readonly #had: StatementSync;
  readonly #changed: StatementSync;

  constructor(db: DatabaseSync, partitions: ScopedPartitions) {
    this.#partitions = partitions;
    this.#had = db.prepare(
      `SELECT DISTINCT document FROM former_tags
        WHERE organization = ? AND tag IN (SELECT value FROM json_each(?)) AND since <= ? AND until > ?`,
    );
    this.#had.setReturnArrays(true);
    this.#changed = db.prepare(
      'SELECT DISTINCT document FROM former_tags WHERE document BETWEEN ? AND ? AND until > ?',
    );
    this.#changed.setReturnArrays(true);
  }

  /** @param past which of the past */
  of(query: Pick<DocumentQuery, 'scope' | 'asOf' | 'tagsThen'>, past: Past): Selection {
    const partitions = this.#partitions.of(rankedScope(query), past);
    if (query.asOf === undefined || !namesTagsThen(query)) return { partitions, moved: null };
    return this.#asOf(query, partitions, past, query.asOf);
  }

  #asOf(
    { scope, tagsThen = [] }: Pick<DocumentQuery, 'scope' | 'tagsThen'>,
    partitions: readonly Partition[],
    past: Past,
    asOf: number,
  ): Selection {
    const had = this.#hadOneOf(scope.organization, tagsThen as readonly string[], asOf);
    const own = new Set(partitions.map(({ no }) => no));
    const others =
      had.size === 0 ? [] : this.#partitions.of(scope, past).filter(({ no }) => had.has(no) && !own.has(no));
    const changed = partitions.flatMap(({ no }) => numbersOf(this.#changed.all(firstNumber(no), lastNumber(no), asOf)));
    const hadNot = changed.filter((no) => had.get(partitionOf(no))?.has(no) !== true);
    const moved = new MovedRows(had, new Set(hadNot), new Set(others.map(({ no }) => no)));
    return { partitions: [...partitions, ...others], moved };
  }

  #hadOneOf(organization: OrganizationId, tags: readonly string[], at: number): MovedRows['had'] {
    const wanted = JSON.stringify(tags.map(toColumn));
    const numbers = numbersOf(this.#had.all(toColumn(organization), wanted, at, at));
    const byPartition = Map.groupBy(numbers, partitionOf);
    return new Map([...byPartition].map(([partition, own]) => [partition, new Set(own)]));
  }
}

const numbersOf = (rows: unknown): readonly number[] => (rows as readonly [number][]).map(([no]) => no);
