import type { DocumentRow, UnitSearchQuery } from '../../../port.ts';
import { isWanted } from '../../../wanted.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection, Hit } from '../connection.ts';
import { rowFrom } from '../documents.ts';
import type { UnitPlace } from '../units.ts';

/** What was read of a unit. */
export interface FoundUnit {
  /** JSON. */
  readonly unit: string;
  readonly revision: number;
  readonly hit: Hit<unknown>;
}

interface FoundRow {
  readonly row: DocumentRow;
  readonly unitsRevision: number;
}

export interface Found {
  readonly units: ReadonlyMap<string, FoundUnit>;
  /** By the documents' keys. */
  readonly rows: ReadonlyMap<string, FoundRow>;
}

/**
 * Units and documents by their ids, in one request: an id of one index is nothing in the other.
 * @param beside clauses whose named scores are read beside each unit; none: a request that costs less
 */
export async function readFound(
  connection: Connection,
  aliases: Aliases,
  ids: readonly string[],
  keys: readonly string[],
  beside: Body | null,
): Promise<Found> {
  const search = {
    index: `${aliases.of('units')},${aliases.of('documents')}`,
    body: {
      query: { ids: { values: [...ids, ...keys] } },
      size: ids.length + keys.length,
      _source: false,
      stored_fields: ['unit', 'row'],
      docvalue_fields: ['unitsRevision', 'info'],
      track_total_hits: false,
      ...(beside && { post_filter: beside }),
    },
  };
  const [answer] = beside === null ? await connection.search([search]) : await connection.scored([search]);
  const units = new Map<string, FoundUnit>();
  const rows = new Map<string, FoundRow>();
  // A tombstone has neither.
  for (const hit of answer?.hits.hits ?? []) {
    const { unit, row, unitsRevision } = hit.fields ?? {};
    const revision = Number(unitsRevision?.[0]);
    if (unit !== undefined) units.set(hit._id, { unit: String(unit[0]), revision, hit });
    if (row !== undefined) rows.set(hit._id, { row: rowFrom(String(row[0])), unitsRevision: revision });
  }
  return { units, rows };
}

export interface Shown<T> {
  readonly place: T;
  readonly document: DocumentRow;
  readonly unit: FoundUnit;
}

/** Lets nothing pass that does not answer the query, whatever the index said before. */
export function shownOf<T extends UnitPlace & { readonly id: string }>(
  query: UnitSearchQuery,
  { units, rows }: Found,
  places: readonly T[],
): Shown<T>[] {
  const shown = places.flatMap((place) => {
    const { row: document, unitsRevision } = rows.get(place.document) ?? {};
    const unit = units.get(place.id);
    if (!document || unitsRevision === undefined || !unit) return [];
    if (!isWanted(query, document) || (query.documentId ?? document.id) !== document.id) return [];
    // Of a document that is just being replaced, or left behind by a writer that was too late.
    return unit.revision < unitsRevision ? [] : [{ place, document, unit }];
  });
  return ofOneRevision(shown);
}

/** While a document is replaced, some of its units may be found in the old form and some in the new: the new ones stay. */
function ofOneRevision<T>(shown: readonly Shown<T>[]): Shown<T>[] {
  const newest = new Map<DocumentRow, number>();
  for (const { document, unit } of shown) {
    newest.set(document, Math.max(newest.get(document) ?? -1, unit.revision));
  }
  return shown.filter(({ document, unit }) => unit.revision === newest.get(document));
}

/** Of units with the same score: as in the embedded engine in the order of arrival, which the ids follow. */
export const arrivalOrder = (a: Shown<UnitPlace>, b: Shown<UnitPlace>): number =>
  compared(a.document.id, b.document.id) || a.place.ordinal - b.place.ordinal;

export const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
