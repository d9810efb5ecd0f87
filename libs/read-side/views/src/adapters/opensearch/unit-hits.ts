import type { Unit } from '../../documents.ts';
import type { Hit } from './connection.ts';

/** What is read of the rows of units. */

export const unitFrom = ({ kind, ordinal }: Pick<Unit, 'kind' | 'ordinal'>, json: string): Unit => {
  const { id, text, speaker, location } = JSON.parse(json) as Omit<Unit, 'kind' | 'ordinal'>;
  return { id, kind, ordinal, text, speaker, ...(location !== undefined && { location }) };
};

export interface UnitInfo {
  /** Id of the row. */
  readonly id: string;
  readonly bareLength: number;
  readonly wideLength: number;
  readonly wholeLength: number;
  readonly speaker: number;
  readonly flags: number;
  /** Number of rows that the words of the document are spread over. */
  readonly wholeRows: number;
}

/**
 * Fields of a hit for {@link infoOf}. Nothing else, not even its id: other fields are in compressed blocks that cost
 * more to open than all the rest.
 */
export const INFO_ONLY = { stored_fields: '_none_', docvalue_fields: ['info'] } as const;

export function infoOf({ fields }: Hit<unknown>): UnitInfo {
  const info = String(fields?.info?.[0]).split(',');
  return {
    id: info[0] as string,
    bareLength: Number(info[1]),
    wideLength: Number(info[2]),
    wholeLength: Number(info[3]),
    speaker: Number(info[4]),
    flags: Number(info[5]),
    wholeRows: Number(info[6] ?? 1),
  };
}

/** Fields of a hit for {@link storedUnit}. */
export const STORED_UNIT = { _source: false, stored_fields: ['unit'], docvalue_fields: ['unitsRevision'] } as const;

/** Returns the unit as JSON, and the revision at which its document's units were written. Null: a tombstone. */
export function storedUnit({ fields }: Hit<unknown>): { readonly json: string; readonly revision: number } | null {
  const json = fields?.unit?.[0];
  return json === undefined ? null : { json: String(json), revision: Number(fields?.unitsRevision?.[0]) };
}
