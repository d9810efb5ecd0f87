import type { Unit } from '../../../documents.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection, Hit } from '../connection.ts';
import { STORED_UNIT, storedUnit, unitFrom } from '../unit-hits.ts';
import { parseUnitId } from '../units.ts';
import { type FoundDocument, foundDocument, ROW_COLUMNS, type RowSource } from './lists.ts';

/** Ids in one search. */
const FOUND_AT_ONCE = 1_000;

/** Reads documents and units by the ids of their rows. Scopes are checked by the caller. */
export class FoundRows {
  readonly #connection: Connection;
  readonly #aliases: Aliases;

  constructor(connection: Connection, aliases: Aliases) {
    this.#connection = connection;
    this.#aliases = aliases;
  }

  async documents(keys: readonly string[]): Promise<ReadonlyMap<string, FoundDocument>> {
    const hits = await this.#byIds<RowSource>('documents', keys, { _source: ROW_COLUMNS });
    // A tombstone has no row.
    return new Map(hits.filter(({ _source }) => 'row' in _source).map((hit) => [hit._id, foundDocument(hit)]));
  }

  /** Reads units by their ids; units that are older than their document's are left out. */
  async units(
    ids: readonly string[],
    documents: ReadonlyMap<string, FoundDocument>,
  ): Promise<ReadonlyMap<string, Unit>> {
    const found = new Map<string, Unit>();
    for (const hit of await this.#byIds('units', ids, STORED_UNIT)) {
      const place = parseUnitId(hit._id);
      const document = documents.get(place.document);
      const stored = storedUnit(hit);
      if (document === undefined || stored === null || stored.revision < document.unitsRevision) continue;
      found.set(hit._id, unitFrom(place, stored.json));
    }
    return found;
  }

  async #byIds<Source = unknown>(
    index: 'documents' | 'units',
    ids: readonly string[],
    columns: Body,
  ): Promise<Hit<Source>[]> {
    const hits: Hit<Source>[] = [];
    for (let from = 0; from < ids.length; from += FOUND_AT_ONCE) {
      const values = ids.slice(from, from + FOUND_AT_ONCE);
      const body = { query: { ids: { values } }, size: values.length, track_total_hits: false, ...columns };
      const [answer] = await this.#connection.search([{ index: this.#aliases.of(index), body }]);
      hits.push(...((answer?.hits.hits ?? []) as Hit<Source>[]));
    }
    return hits;
  }
}
