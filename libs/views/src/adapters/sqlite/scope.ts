import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Scope } from '#kernel';
import type { UnitKind } from '../../documents.ts';
import type { DocumentQuery, Held } from '../../port.ts';
import { toColumn } from '../../text.ts';
import { allOf, filterToSql, type Sql } from './filters.ts';

/** A partition at the time of the query. */
export interface Partition {
  readonly no: number;
  /** 1: of memories that were recorded directly. */
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

/** Type of the rows of memories that were recorded directly. */
export const MEMORY = 'memory';

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

  /** Returns each partition once, even if several of the tags match. Unknown tags have none. */
  of(scope: Scope): Partition[] {
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

/** Returns the partitions of what a list holds. */
export function holding(partitions: readonly Partition[], held: Held = 'documents'): readonly Partition[] {
  return held === 'both' ? partitions : partitions.filter(({ direct }) => direct === (held === 'memories' ? 1 : 0));
}

/** Condition for an organization whose partitions are not named. */
export const ofHeld = (held: Held = 'documents'): Sql[] =>
  held === 'both' ? [] : [{ sql: `type ${held === 'memories' ? '=' : '<>'} ?`, params: [MEMORY] }];

/** Condition: active at the time of the query, if it names one. */
export const activeAt = ({ activeAt: time }: Pick<DocumentQuery, 'activeAt'>): Sql[] =>
  time === undefined ? [] : [{ sql: '(inactive_from IS NULL OR inactive_from > ?)', params: [time] }];

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
