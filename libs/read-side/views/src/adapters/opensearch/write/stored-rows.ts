import { spaceOfRow } from '../../../one-space.ts';
import { changedUnits } from '../../../unit-changes.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import type { DocumentSource } from '../documents.ts';
import { getRows } from '../get-rows.ts';
import { FILTER_COLUMNS } from '../mappings.ts';
import { type StoredUnit, unitsFrom } from '../units.ts';
import { movesUnits, type PendingChange, type ResolvedChange, type StoredDocument, unitIds } from './changes.ts';
import type { StrayUnits } from './stray-units.ts';

/** Columns of unit rows that are computed again. */
const MOVED_COLUMNS = [...FILTER_COLUMNS, 'unitsRevision'];
const STORED_COLUMNS = ['chunks', 'memories', 'unitsRevision', 'placedAs', 'facts', 'deletedAt'];

/** Reads the rows that a batch changes, as they are in the indices, whether searches find them yet or not. */
export class StoredRows {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  readonly #strays: StrayUnits;

  constructor(connection: Connection, aliases: Aliases, strays: StrayUnits) {
    this.#connection = connection;
    this.#aliases = aliases;
    this.#strays = strays;
  }

  /** Reads what the index says of documents. */
  async documents(pending: readonly PendingChange[]): Promise<ReadonlyMap<string, StoredDocument>> {
    type Columns =
      | Pick<DocumentSource, 'chunks' | 'memories' | 'unitsRevision' | 'placedAs' | 'facts'>
      | { deletedAt: number };
    const docs = pending.map(({ key }) => ({ _id: key, routing: key, _source: STORED_COLUMNS }));
    const stored = new Map<string, StoredDocument>();
    for (const got of await getRows<Columns>(this.#connection, this.#aliases.of('documents'), docs)) {
      const source = got._source as Columns;
      stored.set(got._id, { version: got._version as number, document: 'placedAs' in source ? source : null });
    }
    const changing = pending.filter(({ units }) => units !== undefined).map(({ key }) => key);
    for (const [key, extent] of await this.#strays.extents(changing)) {
      stored.set(key, { version: -1, document: null, ...stored.get(key), extent });
    }
    return stored;
  }

  /** Reads the rows of documents, as JSON. */
  async rows(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const docs = keys.map((key) => ({ _id: key, routing: key, _source: ['row'] }));
    const found = await getRows<Partial<Pick<DocumentSource, 'row'>>>(
      ...[this.#connection, this.#aliases.of('documents'), docs],
    );
    return new Map(found.flatMap(({ _id, _source }) => (_source?.row === undefined ? [] : [[_id, _source.row]])));
  }

  /** Reads the unit rows of documents of which only tags, path, metadata or front matter have changed. */
  async movedUnits(
    pending: readonly PendingChange[],
    stored: ReadonlyMap<string, StoredDocument>,
  ): Promise<ReadonlyMap<string, readonly StoredUnit[]>> {
    return this.#units(
      pending.filter((each) => movesUnits(each, stored.get(each.key))),
      stored,
    );
  }

  /**
   * Merges changes of single units with the units in the index. All unit rows of a document share one revision, so all
   * are written.
   */
  async resolved(
    pending: readonly PendingChange[],
    stored: ReadonlyMap<string, StoredDocument>,
  ): Promise<ResolvedChange[]> {
    const changing = pending.filter(({ units }) => units && 'put' in units);
    const found = await this.#units(changing, stored);
    return pending.map((each): ResolvedChange => {
      const { key, row, units } = each;
      if (!units || !('put' in units)) return { ...each, units };
      return { ...each, units: changedUnits(unitsFrom(found.get(key) ?? [], row && spaceOfRow(row)), units) };
    });
  }

  async #units(
    pending: readonly PendingChange[],
    stored: ReadonlyMap<string, StoredDocument>,
  ): Promise<ReadonlyMap<string, readonly StoredUnit[]>> {
    if (pending.length === 0) return new Map();
    const docs = pending.flatMap(({ key }) => {
      const document = stored.get(key)?.document ?? null;
      return document === null
        ? []
        : unitIds(key, document).map((_id) => ({ _id, routing: key, _source: { exclude: MOVED_COLUMNS } }));
    });
    const found = await getRows<StoredUnit>(this.#connection, this.#aliases.of('units'), docs);
    return Map.groupBy(
      found.map(({ _source }) => _source as StoredUnit),
      ({ document }) => document,
    );
  }
}
