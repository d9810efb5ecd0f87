import type { DocumentRow, UnitChanges, UnitSet } from './documents.ts';
import type { QuestionVector, UnitSearchQuery } from './queries.ts';

/** The own space of a row's vectors; null: it has none. @throws RangeError if it names more than two */
export const spaceOfRow = ({ vectorSpaces }: Pick<DocumentRow, 'vectorSpaces'>): string | null => {
  if (vectorSpaces.length > 2) throw new RangeError(`a row has vectors of ${vectorSpaces.length} spaces`);
  return vectorSpaces[0] ?? null;
};

/** The second space of a row's vectors; null: it has none. */
export const secondSpaceOf = ({ vectorSpaces }: Pick<DocumentRow, 'vectorSpaces'>): string | null =>
  vectorSpaces[1] ?? null;

/** @throws RangeError if there are vectors of a space that the row does not name */
export function checkNamed(row: Pick<DocumentRow, 'vectorSpaces'>, units: UnitSet | UnitChanges): void {
  const isAny = 'put' in units ? units.put.some(({ vectors }) => vectors !== null) : units.vectors !== null;
  const hasSecond = !('put' in units) && (units.second ?? null) !== null;
  if ((isAny && spaceOfRow(row) === null) || (hasSecond && secondSpaceOf(row) === null)) {
    throw new RangeError('vectors without the name of their space');
  }
}

/** The vector with which a query is searched; null: by words alone. @throws RangeError if there are several */
export const vectorOfQuery = ({ vectors }: Pick<UnitSearchQuery, 'vectors'>): QuestionVector | null => {
  if (vectors.length > 1) throw new RangeError(`a search has vectors of ${vectors.length} spaces; a scan has one`);
  return vectors[0] ?? null;
};
