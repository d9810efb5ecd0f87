import type { DocumentRow } from './documents.ts';
import type { QuestionVector, UnitSearchQuery } from './port.ts';

/** A row as the engines store it: they hold vectors of one space for each document. */
export type StoredRow = Omit<DocumentRow, 'vectorSpaces'> & { readonly vectorSpace: string | null };

/** The space of a row's vectors; null: it has none. @throws RangeError if there are several */
export const spaceOfRow = ({ vectorSpaces }: Pick<DocumentRow, 'vectorSpaces'>): string | null =>
  onlyOne(vectorSpaces, 'a row');

/** The vector with which a query is searched; null: by words alone. @throws RangeError if there are several */
export const vectorOfQuery = ({ vectors }: Pick<UnitSearchQuery, 'vectors'>): QuestionVector | null =>
  onlyOne(vectors, 'a query');

export function toStoredRow({ vectorSpaces, ...row }: DocumentRow): StoredRow {
  return { ...row, vectorSpace: spaceOfRow({ vectorSpaces }) };
}

/** Fields that rows of earlier versions lack. */
const LATER_FIELDS = { language: null, author: null, canonicalUrl: null } as const;

export function fromStoredRow({ vectorSpace, ...row }: StoredRow): DocumentRow {
  return { ...LATER_FIELDS, ...row, vectorSpaces: vectorSpace === null ? [] : [vectorSpace] };
}

function onlyOne<T>(values: readonly T[], what: string): T | null {
  if (values.length > 1) throw new RangeError(`${what} has vectors of ${values.length} spaces; the views hold one`);
  return values[0] ?? null;
}
