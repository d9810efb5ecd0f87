import type { DocumentRow } from '../../../documents.ts';
import type { UnitSearchQuery } from '../../../queries.ts';
import { isWanted } from '../../../wanted.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection, Hit } from '../connection.ts';
import { rowFrom } from '../documents.ts';
import type { UnitPlace } from '../units.ts';

/** A unit as it was read. */
export interface ReadUnit {
  /** JSON. */
  readonly unit: string;
  readonly revision: number;
  readonly hit: Hit<unknown>;
}

interface ReadDocument {
  readonly row: DocumentRow;
  readonly unitsRevision: number;
}

export interface ReadRows {
  readonly units: ReadonlyMap<string, ReadUnit>;
  /** By the documents' keys. */
  readonly rows: ReadonlyMap<string, ReadDocument>;
}

/**
 * Reads units and documents by their ids in one request: an id of one index does not occur in the other.
 * @param beside clauses whose named scores are read for each unit; null: a cheaper request
 */
export async function readRows(
  connection: Connection,
  aliases: Aliases,
  ids: readonly string[],
  keys: readonly string[],
  beside: Body | null,
): Promise<ReadRows> {
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
  const units = new Map<string, ReadUnit>();
  const rows = new Map<string, ReadDocument>();
  // A tombstone has neither field.
  for (const hit of answer?.hits.hits ?? []) {
    const { unit, row, unitsRevision } = hit.fields ?? {};
    const revision = Number(unitsRevision?.[0]);
    if (unit !== undefined) units.set(hit._id, { unit: String(unit[0]), revision, hit });
    if (row !== undefined) rows.set(hit._id, { row: rowFrom(String(row[0])), unitsRevision: revision });
  }
  return { units, rows };
}

export interface ValidRow<T> {
  readonly place: T;
  readonly document: DocumentRow;
  readonly unit: ReadUnit;
}

/** Drops rows that do not match the query, whatever the index returned before. */
export function validRows<T extends UnitPlace & { readonly id: string }>(
  query: UnitSearchQuery,
  { units, rows }: ReadRows,
  places: readonly T[],
): ValidRow<T>[] {
  const shown = places.flatMap((place) => {
    const { row: document, unitsRevision } = rows.get(place.document) ?? {};
    const unit = units.get(place.id);
    if (!document || unitsRevision === undefined || !unit) return [];
    if (!isWanted(query, document) || !isOfDocument(query, document)) return [];
    // Belongs to a document that is being replaced, or was left by a late writer.
    return unit.revision < unitsRevision ? [] : [{ place, document, unit }];
  });
  return ofOneRevision(shown);
}

const isOfDocument = ({ documentId }: UnitSearchQuery, { id, piece }: DocumentRow): boolean =>
  documentId === null || documentId === (piece?.documentId ?? id);

/** While a document is replaced, old and new units of it may be found: the new ones are kept. */
function ofOneRevision<T>(shown: readonly ValidRow<T>[]): ValidRow<T>[] {
  const newest = new Map<DocumentRow, number>();
  for (const { document, unit } of shown) {
    newest.set(document, Math.max(newest.get(document) ?? -1, unit.revision));
  }
  return shown.filter(({ document, unit }) => unit.revision === newest.get(document));
}

/** Orders units of the same score as the embedded engine does, by arrival, which the ids follow. */
export const arrivalOrder = (a: ValidRow<UnitPlace>, b: ValidRow<UnitPlace>): number =>
  compareIds(a.document.id, b.document.id) || a.place.ordinal - b.place.ordinal;

export const compareIds = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
