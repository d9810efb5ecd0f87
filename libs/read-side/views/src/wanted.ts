import { matchesFilter } from '#features/search';
import { permits, type Scope, tagsAt } from '#platform/kernel';
import type { DocumentRow } from './documents.ts';
import { type Filterable, filterableMetadata } from './filterable.ts';
import { ALWAYS, cutTime } from './pieces.ts';
import type { DocumentQuery } from './queries.ts';
import { type DatedRow, validityOf } from './validity.ts';

type ScopedRow = Pick<DocumentRow, 'tags' | 'formerTags'> & { readonly organization: string };

export function isInScope(scope: Scope, row: ScopedRow): boolean {
  return (
    row.organization === scope.organization &&
    (scope.tags === 'all' || row.tags.some((tag) => (scope.tags as readonly string[]).includes(tag)))
  );
}

/** Returns the scope that a row was in at the time of a query. */
export const scopeThen = ({ scope, tagsThen = 'all' }: Pick<DocumentQuery, 'scope' | 'tagsThen'>): Scope => ({
  ...scope,
  tags: tagsThen,
});

/** Returns the scope whose units are ranked among each other: that of then, if the query names tags of then. */
export const rankedScope = (query: Pick<DocumentQuery, 'scope' | 'asOf' | 'tagsThen'>): Scope =>
  namedThen(query) === null ? query.scope : scopeThen(query);

/** Returns the tags of then by which a query selects, and their time. Null: it selects by those of today. */
export const namedThen = ({
  asOf,
  tagsThen = 'all',
}: Pick<DocumentQuery, 'asOf' | 'tagsThen'>): { readonly tags: readonly string[]; readonly at: number } | null =>
  asOf === undefined || tagsThen === 'all' ? null : { tags: tagsThen, at: asOf };

/** Checks a row against a query without an engine; every row is checked before it is returned. */
export function isWanted(
  query: DocumentQuery,
  row: ScopedRow & Filterable & Pick<DocumentRow, 'filepath' | 'memory' | 'piece' | 'createdAt' | 'documentDate'>,
): boolean {
  return (
    isInScope(query.scope, row) &&
    (query.asOf === undefined || permits(scopeThen(query), tagsAt(row, query.asOf))) &&
    (query.filepath === null || isAtPath(query.filepath, row.filepath)) &&
    (query.filter === null || matchesFilter(query.filter, filterableMetadata(row))) &&
    isActiveAt(query.activeAt, row) &&
    isPieceAt(query, row) &&
    (query.asOf === undefined || row.createdAt <= query.asOf) &&
    isValidAt(query.validAt, row)
  );
}

function isActiveAt(time: number | undefined, { memory }: Pick<DocumentRow, 'memory'>): boolean {
  return time === undefined || !memory || memory.inactiveFrom === null || memory.inactiveFrom > time;
}

function isPieceAt(query: DocumentQuery, { piece }: Pick<DocumentRow, 'piece'>): boolean {
  if (piece === undefined) return true;
  if (!piece.isFormer) return isWithin(piece, cutTime(query));
  if (query.validAt !== undefined) return true;
  return query.asOf !== undefined && isWithin(piece, query.asOf) && isWithin(piece.cut ?? ALWAYS, cutTime(query));
}

const isWithin = ({ from, until }: { readonly from: number; readonly until: number | null }, time: number): boolean =>
  from <= time && (until === null || until > time);

function isValidAt(date: number | undefined, row: DatedRow): boolean {
  if (date === undefined) return true;
  const { from, until } = validityOf(row);
  return from <= date && (until === null || until > date);
}

function isAtPath(wanted: string, filepath: string | null): boolean {
  return filepath !== null && (wanted.endsWith('/') ? filepath.startsWith(wanted) : filepath === wanted);
}
