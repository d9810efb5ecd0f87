import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Scope } from '#platform/kernel';
import type { UnitKind } from '../../documents.ts';
import { cutTime } from '../../pieces.ts';
import type { DocumentQuery, HeldKind } from '../../queries.ts';
import { toColumn } from '../../text.ts';
import { allOf, filterToSql, type Sql } from './filters.ts';
import {
  OF_DOCUMENTS,
  OF_FORMER_PASSAGES,
  OF_FORMER_UNITS,
  OF_FORMERS,
  OF_MEMORIES,
  OF_PASSAGES,
  OF_PIECES,
} from './numbers.ts';

/** A partition at the time of the query. */
export interface Partition {
  readonly no: number;
  /** What it holds, see numbers.ts. */
  readonly direct: number;
  readonly documents: number;
  readonly chunk_entries: number;
  readonly chunk_bytes: number;
  readonly memory_entries: number;
  readonly memory_bytes: number;
  readonly memories: number;
  /** Newest change in `entry_log` that concerns it. */
  readonly changed: number;
}

export function entriesOf(partition: Partition, kind: UnitKind): { readonly entries: number; readonly bytes: number } {
  return kind === 'chunk'
    ? { entries: partition.chunk_entries, bytes: partition.chunk_bytes }
    : { entries: partition.memory_entries, bytes: partition.memory_bytes };
}

/** Types of rows that are no documents: of memories recorded directly, of touched ones of documents, of pieces, and of earlier versions. */
const [MEMORY, PASSAGE, PIECE, FORMER] = ['memory', 'passage', 'piece', 'former'];
/** Types of the rows of memories, which searches find while they are processed. */
export const MEMORIES = `'${MEMORY}', '${PASSAGE}'`;

const COLUMNS = [
  'no',
  'direct',
  'documents',
  'chunk_entries',
  'chunk_bytes',
  'memory_entries',
  'memory_bytes',
  'memories',
  'changed',
]
  .map((column) => `partitions.${column}`)
  .join(', ');

/** Finds the partitions of a scope; the only way from tags to documents. */
export class ScopedPartitions {
  readonly #ofOrganization: StatementSync;
  readonly #ofTag: StatementSync;
  readonly #newest: StatementSync;
  readonly #numbered: StatementSync;

  constructor(db: DatabaseSync) {
    this.#ofOrganization = db.prepare(`SELECT ${COLUMNS} FROM partitions WHERE organization = ? ORDER BY no`);
    this.#ofTag = db.prepare(
      `SELECT ${COLUMNS} FROM partition_tags JOIN partitions ON partitions.no = partition_tags.partition
        WHERE partition_tags.organization = ? AND partition_tags.tag = ? ORDER BY partitions.no`,
    );
    this.#newest = db.prepare('SELECT no FROM partitions ORDER BY changed DESC LIMIT ?');
    this.#numbered = db.prepare(`SELECT ${COLUMNS} FROM partitions WHERE no = ?`);
  }

  /** Returns the numbers of the partitions that were written last, newest first. */
  newest(limit: number): number[] {
    return (this.#newest.all(limit) as unknown as { no: number }[]).map(({ no }) => no);
  }

  /** Returns null if it was empty and has been removed. */
  numbered(no: number): Partition | null {
    return (this.#numbered.get(no) as Partition | undefined) ?? null;
  }

  /** Returns each partition once, even if several of the tags match. Unknown tags have none. @param past which of the past */
  of(scope: Scope, past: PastScope = 'none'): Partition[] {
    const found = this.#of(scope);
    return past === 'all'
      ? found
      : found.filter(({ direct }) => !isOfPast(direct) || (past === 'versions' && isOfFormers(direct)));
  }

  #of(scope: Scope): Partition[] {
    const organization = toColumn(scope.organization);
    if (scope.tags === 'all') return this.#ofOrganization.all(organization) as unknown as Partition[];
    const found = new Map<number, Partition>();
    for (const tag of scope.tags) {
      for (const partition of this.#ofTag.all(organization, toColumn(tag)) as unknown as Partition[]) {
        found.set(partition.no, partition);
      }
    }
    return [...found.values()];
  }
}

/** What a query reads of the past: earlier versions of memories, or units that have left their documents too. */
export type PastScope = 'none' | 'versions' | 'all';

/** Whether a partition has earlier versions of memories. */
export const isOfFormers = (direct: number): boolean => direct === OF_FORMERS || direct === OF_FORMER_PASSAGES;

/** Whether only questions about a past time or a date find what a partition has. */
const isOfPast = (direct: number): boolean => isOfFormers(direct) || direct === OF_FORMER_UNITS;

/** What a search reads of the past. */
export const pastOf = ({ asOf, validAt }: Pick<DocumentQuery, 'asOf' | 'validAt'>): PastScope =>
  asOf !== undefined ? 'all' : validAt !== undefined ? 'versions' : 'none';

/** Returns the partitions of a list of memories as of a time. */
export const listedAsOf = (partitions: readonly Partition[]): readonly Partition[] =>
  partitions.filter(({ direct }) => direct !== OF_PASSAGES && direct !== OF_FORMER_PASSAGES);

/** What the partitions of a list hold, and the types of other rows. */
const HELD: Readonly<Record<HeldKind, { readonly partitions: readonly number[]; readonly not: readonly string[] }>> = {
  documents: { partitions: [OF_DOCUMENTS], not: [MEMORY, PASSAGE, PIECE, FORMER] },
  memories: { partitions: [OF_MEMORIES, OF_PASSAGES], not: [] },
  both: { partitions: [OF_DOCUMENTS, OF_MEMORIES, OF_PASSAGES], not: [PIECE, FORMER] },
  sources: { partitions: [OF_DOCUMENTS, OF_MEMORIES], not: [PASSAGE, PIECE, FORMER] },
};

/** Returns the partitions of the kinds of rows in a list. */
export const partitionsHolding = (
  partitions: readonly Partition[],
  held: HeldKind = 'documents',
): readonly Partition[] => partitions.filter(({ direct }) => HELD[held].partitions.includes(direct));

/** Returns the partitions that a search reads: it finds pieces as parts of their documents. */
export const searchPartitions = (partitions: readonly Partition[], held: HeldKind = 'both'): readonly Partition[] =>
  partitions.filter(
    ({ direct }) =>
      HELD[held].partitions.includes(direct) ||
      (direct === OF_PIECES && held !== 'memories') ||
      (direct === OF_FORMER_UNITS && held !== 'memories') ||
      (isOfFormers(direct) && held !== 'documents'),
  );

/** Condition for an organization whose partitions are not named. */
export function ofHeld(held: HeldKind = 'documents'): Sql[] {
  if (held === 'memories') return [{ sql: `type IN (${MEMORIES})`, params: [] }];
  return HELD[held].not.map((type) => ({ sql: 'type <> ?', params: [type] }));
}

/** Condition: active at the time of the query, if it names one. */
export const activeAt = ({ activeAt: time }: Pick<DocumentQuery, 'activeAt'>): Sql[] =>
  time === undefined ? [] : [{ sql: '(inactive_from IS NULL OR inactive_from > ?)', params: [time] }];

/** Condition: no piece, or one that the time of the query shows. */
export function pieceAt(query: Pick<DocumentQuery, 'cutAt' | 'asOf' | 'validAt'>): Sql[] {
  const at = cutTime(query);
  const shown = 'replaced_at IS NULL AND active_from <= ? AND (inactive_from IS NULL OR inactive_from > ?)';
  const former = formerAt(query);
  return [
    {
      sql: `(active_from IS NULL OR (${shown})${former === null ? '' : ` OR ${former.sql}`})`,
      params: [at, at, ...(former?.params ?? [])],
    },
  ];
}

/** Condition: an earlier version that the time or the date of the query names. Null: none. */
function formerAt({ asOf, validAt }: Pick<DocumentQuery, 'asOf' | 'validAt'>): Sql | null {
  if (validAt !== undefined) return { sql: 'replaced_at IS NOT NULL', params: [] };
  return asOf === undefined ? null : { sql: '(active_from <= ? AND replaced_at > ?)', params: [asOf, asOf] };
}

/** Condition: counts for the date of the query, if it names one. */
export const validOn = ({ validAt }: Pick<DocumentQuery, 'validAt'>): Sql[] =>
  validAt === undefined
    ? []
    : [{ sql: '(valid_from <= ? AND (valid_until IS NULL OR valid_until > ?))', params: [validAt, validAt] }];

/** Whether a query reads earlier versions. */
export const readsFormers = ({ asOf, validAt }: Pick<DocumentQuery, 'asOf' | 'validAt'>): boolean =>
  asOf !== undefined || validAt !== undefined;

/** Conditions of lists of memories: what was there at the time of the query, in documents that have not changed since. */
export function thereAt({ asOf }: Pick<DocumentQuery, 'asOf'>): Sql[] {
  if (asOf === undefined) return [];
  const isDocument = `type NOT IN (${MEMORIES}, '${FORMER}')`;
  return [
    { sql: 'created_at <= ?', params: [asOf] },
    { sql: `(NOT ${isDocument} OR updated_at <= ?)`, params: [asOf] },
  ];
}

/** Conditions of a query on `documents` beside its scope. Null: none. */
export function restrictionOf(query: DocumentQuery): Sql | null {
  const conditions: Sql[] = [];
  // The partition implies the organization; naming it makes the index usable.
  if (query.filepath !== null) conditions.push(inOrganization(query.scope), atPath(toColumn(query.filepath)));
  if (query.filter !== null) conditions.push(filterToSql(query.filter, 'documents.no'));
  return conditions.length === 0 ? null : allOf(conditions);
}

export function inOrganization(scope: Scope): Sql {
  return { sql: 'organization = ?', params: [toColumn(scope.organization)] };
}

function atPath(wanted: string): Sql {
  if (!wanted.endsWith('/')) return { sql: 'filepath = ?', params: [wanted] };
  // Strings that start with "a/" lie between "a/" and "a0", because 0 follows the slash in byte order.
  return { sql: 'filepath >= ? AND filepath < ?', params: [wanted, `${wanted.slice(0, -1)}0`] };
}
