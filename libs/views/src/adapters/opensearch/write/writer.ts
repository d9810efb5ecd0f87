import type { Position } from '#event-store';
import type { DocumentChange, ViewsChange, ViewsWriter } from '../../../port.ts';
import type { BuildingModel, RowsChange, RowTable } from '../../../rows.ts';
import { changedUnits } from '../../../unit-changes.ts';
import { addSpace, type IndexOptions, prepareIndices, readVectorSpace } from '../admin/indices.ts';
import { Aliases } from '../aliases.ts';
import { Connection } from '../connection.ts';
import type { DocumentSource } from '../documents.ts';
import { FencedError } from '../errors.ts';
import { getRows } from '../get-rows.ts';
import { FILTER_COLUMNS, type IndexName } from '../mappings.ts';
import { type StoredUnit, unitsFrom } from '../units.ts';
import { BULK_LIMITS, type BulkItem, type BulkLimits, writeBulk } from './bulk.ts';
import { folded, itemsOf, movesUnits, type Pending, type Resolved, type Stored, unitIds } from './changes.ts';
import { CheckpointLease } from './lease.ts';
import { ReadModels } from './models.ts';
import { purgeViews } from './purge.ts';

export interface OpenSearchWriterOptions extends IndexOptions {
  /** One or several, separated by commas. */
  readonly url: string;
  /** Fencing token of the lease under which it writes: of two writers the one with the higher token continues. */
  readonly epoch: number;
  /** Names this process in messages; of two writers with the same token the first continues. */
  readonly holder: string;
  /** Read models beside the documents. */
  readonly tables?: readonly RowTable[];
  readonly bulk?: Partial<BulkLimits>;
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: () => number;
}

const REFRESH_TIMEOUT_MS = 60_000;

/**
 * The write side of the views in OpenSearch. A batch is not one transaction there: rows have the revision of their
 * stream as version, so that applying a batch twice or late has no effect, and the checkpoint is written when searches
 * find all of them.
 */
export class OpenSearchViewsWriter implements ViewsWriter {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  readonly #lease: CheckpointLease;
  readonly #models: ReadModels;
  readonly #limits: BulkLimits;
  readonly #now: () => number;
  readonly #madeFor: string | null;
  readonly #spaces = new Set<string>();
  /** Indices with rows that searches may not find yet. */
  readonly #unseen = new Set<IndexName>();

  /**
   * Creates missing indices.
   * @throws ViewsShapeError if they are of another version; FencedError if a writer with a higher fencing token was
   *   here; ViewsUnreachableError
   */
  static async open(options: OpenSearchWriterOptions): Promise<OpenSearchViewsWriter> {
    const connection = new Connection(options.url);
    try {
      const aliases = new Aliases(options.prefix);
      await prepareIndices(connection, options);
      const lease = await CheckpointLease.take(connection, aliases.of('meta'), options.epoch, options.holder);
      const madeFor = await readVectorSpace(connection, aliases);
      const limits = { ...BULK_LIMITS, ...options.bulk };
      const { tables = [], now = Date.now } = options;
      const models = await ReadModels.open(connection, aliases, lease.position, { ...options, tables, limits, now });
      return new OpenSearchViewsWriter(connection, aliases, lease, models, madeFor, { limits, now });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private constructor(
    connection: Connection,
    aliases: Aliases,
    lease: CheckpointLease,
    models: ReadModels,
    madeFor: string | null,
    { limits, now }: { readonly limits: BulkLimits; readonly now: () => number },
  ) {
    this.#connection = connection;
    this.#aliases = aliases;
    this.#lease = lease;
    this.#madeFor = madeFor;
    this.#models = models;
    this.#limits = limits;
    this.#now = now;
  }

  async checkpoint(): Promise<Position | null> {
    return this.#lease.position;
  }

  vectorSpace(): Promise<string | null> {
    return readVectorSpace(this.#connection, this.#aliases);
  }

  /**
   * Resolves when searches find what was written.
   * @throws RowRejectedError if OpenSearch refuses a row for good; FencedError if another writer has taken over;
   *   ViewsUnreachableError. The batch may be applied again: rows of it stay, and are not found before.
   */
  async apply(changes: readonly ViewsChange[], checkpoint: Position): Promise<void> {
    await this.bring(changes);
    await this.#models.show();
    // Units become visible first: a visible document has all the units that it counts.
    await this.#show('units');
    await this.#show('documents');
    await this.#lease.write(checkpoint);
  }

  /** @throws as `apply`, but another writer is not detected: its newer rows stay */
  async bring(changes: readonly ViewsChange[]): Promise<void> {
    const documents: DocumentChange[] = [];
    const rows: RowsChange[] = [];
    for (const change of changes) {
      if (change.kind === 'rows') rows.push(change);
      else documents.push(change);
    }
    const pending = folded(documents);
    if (pending.size > 0) await this.#write([...pending.values()]);
    if (rows.length > 0) await this.#models.write(rows);
  }

  building(): readonly BuildingModel[] {
    return this.#models.building();
  }

  /** @throws as `apply` */
  async build(model: string, changes: readonly ViewsChange[], after: Position | null): Promise<void> {
    await this.bring(changes);
    await this.#models.show();
    await this.#models.built(model, after);
  }

  /**
   * Removes tombstones that are older than a day, and rows that a fenced writer wrote too late. Called from time to
   * time by the process that runs the projection.
   */
  async purge(): Promise<void> {
    await purgeViews(this.#connection, this.#aliases, this.#now());
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #write(pending: readonly Pending[]): Promise<void> {
    // The batch was projected for the views that were opened; views of another space may have replaced them.
    const space = await this.vectorSpace();
    if (space !== this.#madeFor) throw new FencedError(`the views are of the vector space ${space} by now`);
    await this.#addSpaces(pending);
    const stored = await this.#stored(pending);
    const newer = pending.filter(({ key, revision }) => (stored.get(key)?.version ?? -1) <= revision);
    const due = await this.#resolved(newer, stored);
    const moved = await this.#movedUnits(due, stored);
    const targets = { documents: this.#aliases.of('documents'), units: this.#aliases.of('units') };
    const now = this.#now();
    const documents: BulkItem[] = [];
    const unseen = this.#unseen;
    const units = function* (): Generator<BulkItem> {
      for (const each of due) {
        for (const item of itemsOf(each, stored.get(each.key), moved.get(each.key) ?? [], targets, now)) {
          if (item.index === targets.documents) documents.push(item);
          else {
            unseen.add('units');
            yield item;
          }
        }
      }
    };
    // Documents follow their units: a retry needs what the stored documents say of their units.
    await writeBulk(this.#connection, units(), this.#limits);
    if (documents.length > 0) unseen.add('documents');
    await writeBulk(this.#connection, documents, this.#limits);
  }

  /** Makes written rows visible. */
  async #show(name: IndexName): Promise<void> {
    if (!this.#unseen.has(name)) return;
    await this.#connection.call({ method: 'POST', path: `/${this.#aliases.of(name)}/_refresh` }, REFRESH_TIMEOUT_MS);
    this.#unseen.delete(name);
  }

  async #addSpaces(pending: readonly Pending[]): Promise<void> {
    for (const { row, units } of pending) {
      const dimensions = dimensionsIn(units);
      if (!row?.vectorSpace || !dimensions || this.#spaces.has(row.vectorSpace)) continue;
      await addSpace(this.#connection, this.#aliases, row.vectorSpace, dimensions);
      this.#spaces.add(row.vectorSpace);
    }
  }

  async #stored(pending: readonly Pending[]): Promise<ReadonlyMap<string, Stored>> {
    type Columns = Pick<DocumentSource, 'chunks' | 'memories' | 'unitsRevision' | 'placedAs'> | { deletedAt: number };
    const docs = pending.map(({ key }) => ({ _id: key, routing: key, _source: STORED_COLUMNS }));
    const stored = new Map<string, Stored>();
    for (const got of await getRows<Columns>(this.#connection, this.#aliases.of('documents'), docs)) {
      const source = got._source as Columns;
      stored.set(got._id, { version: got._version as number, document: 'placedAs' in source ? source : null });
    }
    return stored;
  }

  /** Reads the unit rows of documents of which only tags, path or metadata have changed. */
  async #movedUnits(
    pending: readonly Pending[],
    stored: ReadonlyMap<string, Stored>,
  ): Promise<ReadonlyMap<string, readonly StoredUnit[]>> {
    return this.#storedUnits(
      pending.filter((each) => movesUnits(each, stored.get(each.key))),
      stored,
    );
  }

  /**
   * Merges changes of single units with the units in the index. All unit rows of a document share one revision, so all
   * are written.
   */
  async #resolved(pending: readonly Pending[], stored: ReadonlyMap<string, Stored>): Promise<Resolved[]> {
    const changing = pending.filter(({ units }) => units && 'put' in units);
    const found = await this.#storedUnits(changing, stored);
    return pending.map((each): Resolved => {
      const { key, row, units } = each;
      if (!units || !('put' in units)) return { ...each, units };
      return { ...each, units: changedUnits(unitsFrom(found.get(key) ?? [], row?.vectorSpace ?? null), units) };
    });
  }

  async #storedUnits(
    pending: readonly Pending[],
    stored: ReadonlyMap<string, Stored>,
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

function dimensionsIn(units: Pending['units']): number | undefined {
  const every = units && ('put' in units ? units.put.map(({ vectors }) => vectors) : units.vectors);
  const first = every?.find((vectors) => vectors !== null);
  return first && first.bare.length - SCALE_BYTES;
}

/** Bytes of the scale in front of a quantised vector; a cosine does not need it. */
const SCALE_BYTES = 4;
/** Columns of unit rows that are computed again. */
const MOVED_COLUMNS = [...FILTER_COLUMNS, 'unitsRevision'];
const STORED_COLUMNS = ['chunks', 'memories', 'unitsRevision', 'placedAs', 'deletedAt'];
