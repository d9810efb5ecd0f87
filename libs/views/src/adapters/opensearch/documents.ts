import type { DocumentRow } from '../../documents.ts';
import { fromStoredRow, type StoredRow, spaceOfRow, toStoredRow } from '../../one-space.ts';
import { toColumn } from '../../text.ts';
import { type FilterTerms, termOf } from './terms.ts';

/** Counts of units in a document's row. */
export interface UnitCounts {
  readonly chunks: number;
  readonly memories: number;
  readonly unitsRevision: number;
}

export const NO_UNITS: UnitCounts = { chunks: 0, memories: 0, unitsRevision: -1 };

/** A row of the documents index that is not a tombstone. */
export interface DocumentSource extends FilterTerms, UnitCounts {
  readonly id: string;
  readonly stage: string;
  readonly source?: string;
  readonly customId?: string;
  readonly space?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly placedAs: string;
  /** JSON of the row. */
  readonly row: string;
}

export interface Tombstone {
  /** Milliseconds since the epoch. */
  readonly deletedAt: number;
}

export function documentSource(row: DocumentRow, place: FilterTerms, units: UnitCounts): DocumentSource {
  const space = spaceOfRow(row);
  return {
    ...place,
    ...units,
    id: toColumn(row.id),
    stage: row.stage,
    ...(row.source !== null && { source: sourceTerm(row.source) }),
    ...(row.customId !== null && { customId: customIdTerm(row.customId) }),
    ...(space !== null && { space: toColumn(space) }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    placedAs: placedAs(row),
    row: JSON.stringify(toStoredRow(row)),
  };
}

export const sourceTerm = (source: string): string => termOf('source', source);
export const customIdTerm = (customId: string): string => termOf('customId', customId);

/** Returns a value that changes when unit rows of the document have to be written again. */
export const placedAs = ({ tags, filepath, metadata }: DocumentRow): string =>
  termOf('placed', JSON.stringify([[...new Set(tags)].sort(), filepath, metadata]));

export const rowFrom = (json: string): DocumentRow => fromStoredRow(JSON.parse(json) as StoredRow);
