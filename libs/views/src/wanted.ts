import type { Scope } from '#kernel';
import { matchesFilter } from '#search';
import type { DocumentRow } from './documents.ts';
import type { DocumentQuery } from './port.ts';

type Scoped = { readonly organization: string; readonly tags: readonly string[] };

export function isInScope(scope: Scope, row: Scoped): boolean {
  return (
    row.organization === scope.organization &&
    (scope.tags === 'all' || row.tags.some((tag) => (scope.tags as readonly string[]).includes(tag)))
  );
}

/** Checks a row against a query without an engine; every row is checked before it is returned. */
export function isWanted(
  query: DocumentQuery,
  row: Scoped & Pick<DocumentRow, 'filepath' | 'metadata' | 'memory' | 'piece'>,
): boolean {
  return (
    isInScope(query.scope, row) &&
    (query.filepath === null || isAtPath(query.filepath, row.filepath)) &&
    (query.filter === null || matchesFilter(query.filter, row.metadata)) &&
    isActiveAt(query.activeAt, row) &&
    isPieceAt(query.cutAt, row)
  );
}

function isActiveAt(time: number | undefined, { memory }: Pick<DocumentRow, 'memory'>): boolean {
  return time === undefined || !memory || memory.inactiveFrom === null || memory.inactiveFrom > time;
}

function isPieceAt(time = Number.POSITIVE_INFINITY, { piece }: Pick<DocumentRow, 'piece'>): boolean {
  return piece === undefined || (piece.from <= time && (piece.until === null || piece.until > time));
}

function isAtPath(wanted: string, filepath: string | null): boolean {
  return filepath !== null && (wanted.endsWith('/') ? filepath.startsWith(wanted) : filepath === wanted);
}
