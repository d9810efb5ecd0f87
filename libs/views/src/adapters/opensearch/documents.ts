import { fromStoredRow, type StoredRow, spaceOfRow, toStoredRow } from '../../one-space.ts';
import type { DocumentRow } from '../../port.ts';
import { toColumn } from '../../text.ts';
import { type Placed, termOf } from './terms.ts';

/** What a document's row says of its units. */
export interface UnitCounts {
  readonly chunks: number;
  readonly memories: number;
  readonly unitsRevision: number;
}

export const NO_UNITS: UnitCounts = { chunks: 0, memories: 0, unitsRevision: -1 };

/** A live row of the documents' index. */
export interface DocumentSource extends Placed, UnitCounts {
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

export function documentSource(row: DocumentRow, place: Placed, units: UnitCounts): DocumentSource {
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

/** Equal as long as unit rows of the document need not be written again. */
export const placedAs = ({ tags, filepath, metadata }: DocumentRow): string =>
  termOf('placed', JSON.stringify([[...new Set(tags)].sort(), filepath, metadata]));

export const rowFrom = (json: string): DocumentRow => fromStoredRow(JSON.parse(json) as StoredRow);
