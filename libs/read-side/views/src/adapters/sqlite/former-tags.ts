import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { DocumentRow } from '../../documents.ts';
import { formerTagsOf } from '../../former-tags.ts';
import type { DocumentQuery } from '../../queries.ts';
import { toColumn } from '../../text.ts';
import { namedThen, rankedScope } from '../../wanted.ts';
import type { Sql } from './filters.ts';
import { firstNumber, lastNumber, partitionOf } from './numbers.ts';
import type { Partition, PastScope, ScopedPartitions } from './scope.ts';

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

  insert(no: number, row: Pick<DocumentRow, 'organization' | 'formerTags'>): void {
    for (const { tag, since, until } of formerTagsOf(row)) {
      this.#insert.run(toColumn(row.organization), toColumn(tag), since, until, no);
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
  /** Those that had one of the tags of the query, by the numbers of the partitions in which no other rows count. */
  readonly #had: ReadonlyMap<number, ReadonlySet<number>>;
  /** Those that had none of them, though they have one today. */
  readonly #hadNot: ReadonlySet<number>;

  constructor(had: ReadonlyMap<number, ReadonlySet<number>>, hadNot: ReadonlySet<number>) {
    this.#had = had;
    this.#hadNot = hadNot;
  }

  /** Returns the rows that alone count in a partition. Null: it has one of the tags. */
  only({ no }: Pick<Partition, 'no'>): ReadonlySet<number> | null {
    return this.#had.get(no) ?? null;
  }

  /** Whether a row counts, which is in one of the partitions of the selection. */
  counts(no: number): boolean {
    const only = this.#had.get(partitionOf(no));
    return only === undefined ? !this.#hadNot.has(no) : only.has(no);
  }

  /** Condition: the row counts. */
  get condition(): Sql {
    const had = [...this.#had.values()].flatMap((numbers) => [...numbers]);
    return {
      sql: `(no IN (SELECT value FROM json_each(?)) OR (partition NOT IN (SELECT value FROM json_each(?))
        AND no NOT IN (SELECT value FROM json_each(?))))`,
      params: [had, [...this.#had.keys()], [...this.#hadNot]].map((numbers) => JSON.stringify(numbers)),
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
  of(query: Pick<DocumentQuery, 'scope' | 'asOf' | 'tagsThen'>, past: PastScope): Selection {
    const partitions = this.#partitions.of(rankedScope(query), past);
    const then = namedThen(query);
    if (then === null) return { partitions, moved: null };
    const { organization } = query.scope;
    const wanted = JSON.stringify(then.tags.map(toColumn));
    const had = new Set(numbersOf(this.#had.all(toColumn(organization), wanted, then.at, then.at)));
    const hadNot = partitions
      .flatMap(({ no }) => numbersOf(this.#changed.all(firstNumber(no), lastNumber(no), then.at)))
      .filter((no) => !had.has(no));
    const own = new Set(partitions.map(({ no }) => no));
    const elsewhere = Map.groupBy(
      [...had].filter((no) => !own.has(partitionOf(no))),
      partitionOf,
    );
    const others = elsewhere.size === 0 ? [] : this.#partitions.of(query.scope, past);
    const readable = others.filter(({ no }) => elsewhere.has(no));
    const counting = new Map(readable.map(({ no }) => [no, new Set(elsewhere.get(no))]));
    return { partitions: [...partitions, ...readable], moved: new MovedRows(counting, new Set(hadNot)) };
  }
}

const numbersOf = (rows: unknown): readonly number[] => (rows as readonly [number][]).map(([no]) => no);
