import type { Position } from '#event-store';
import type { DocumentChange } from '../../../documents.ts';
import { spaceOfRow } from '../../../one-space.ts';
import type { ViewsChange, ViewsWriter } from '../../../port.ts';
import type { BuildingModel, RowsChange, RowTable } from '../../../rows.ts';
import { applySettings } from '../admin/index-settings.ts';
import { addSpace, type IndexOptions, prepareIndices, readVectorSpace } from '../admin/indices.ts';
import type { MergeOptions } from '../admin/merge.ts';
import { Aliases } from '../aliases.ts';
import { onEveryCopy } from '../broadcast.ts';
import { Connection } from '../connection.ts';
import { FencedError, ViewsMissingError } from '../errors.ts';
import { type IndexName } from '../mappings.ts';
import { BULK_LIMITS, type BulkItem, type BulkLimits, writeBulk } from './bulk.ts';
import { folded, itemsOf, type Pending, type Targets } from './changes.ts';
import { mergeDaily } from './daily-merge.ts';
import { CheckpointLease } from './lease.ts';
import { ReadModels } from './models.ts';
import { purgeViews } from './purge.ts';
import { StoredRows } from './stored-rows.ts';
import { StrayUnits } from './stray-units.ts';
import { takeWriterAliases } from './writer-aliases.ts';

export interface OpenSearchWriterOptions extends IndexOptions {
  /** One or several, separated by commas. */
  readonly url: string;
  /** Fencing token of the lease under which it writes: of two writers the one with the higher token continues. */
  readonly fencingToken: number;
  /** Names this process in messages; of two writers with the same token the first continues. */
  readonly holder: string;
  /** Read models beside the documents. */
  readonly tables?: readonly RowTable[];
  readonly bulk?: Partial<BulkLimits>;
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: () => number;
}

const REFRESH_TIMEOUT_MS = 60_000;

/** Names a writer in its records. */
type Owner = Pick<OpenSearchWriterOptions, 'fencingToken' | 'holder'>;

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
  readonly #strays: StrayUnits;
  readonly #stored: StoredRows;
  /** Aliases of this writer alone. */
  readonly #targets: Targets;
  readonly #limits: BulkLimits;
  readonly #now: () => number;
  readonly #owner: Owner;
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
      const lease = await CheckpointLease.take(connection, aliases.of('meta'), options.fencingToken, options.holder);
      await takeWriterAliases(connection, aliases, options.fencingToken);
      // If this process was paused in between, the aliases were those of a later writer, which takes them again.
      await lease.confirm();
      const strays = await StrayUnits.open(connection, aliases);
      const madeFor = await readVectorSpace(connection, aliases);
      const limits = { ...BULK_LIMITS, ...options.bulk };
      const { tables = [], now = Date.now } = options;
      const models = await ReadModels.open(connection, aliases, lease.position, { ...options, tables, limits, now });
      await applySettings(connection, aliases, options);
      return new OpenSearchViewsWriter(connection, aliases, lease, models, strays, madeFor, {
        ...options,
        limits,
        now,
      });
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
    strays: StrayUnits,
    madeFor: string | null,
    { limits, now, fencingToken, holder }: Owner & { readonly limits: BulkLimits; readonly now: () => number },
  ) {
    this.#connection = connection;
    this.#aliases = aliases;
    this.#lease = lease;
    this.#madeFor = madeFor;
    this.#models = models;
    this.#strays = strays;
    this.#stored = new StoredRows(connection, aliases, strays);
    const targetOf = (name: IndexName) => aliases.ofWriter(fencingToken, name);
    this.#targets = { documents: targetOf('documents'), units: targetOf('units') };
    this.#limits = limits;
    this.#now = now;
    this.#owner = { fencingToken, holder };
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

  /** @throws as `apply` */
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

  caughtUp(): void {
    this.#strays.caughtUp();
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
   * Removes tombstones that are older than a day, and units that are older than their document. Called from time to time
   * by the process that runs the projection.
   */
  async purge(): Promise<void> {
    await purgeViews(this.#connection, this.#aliases, this.#now());
  }

  /**
   * Removes deleted rows from the files of the indices, unless a writer did so within the last 24 hours. Called from time to
   * time by the process that runs the projection. @throws FencedError, ViewsUnreachableError
   */
  async mergeDaily(options: MergeOptions): Promise<void> {
    await mergeDaily(this.#connection, this.#aliases, { ...options, ...this.#owner, now: this.#now });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #write(pending: readonly Pending[]): Promise<void> {
    // The batch was projected for the views that were opened; views of another space may have replaced them.
    const space = await this.vectorSpace();
    if (space !== this.#madeFor) throw new FencedError(`the views are of the vector space ${space} by now`);
    await this.#addSpaces(pending);
    const stored = await this.#stored.documents(pending);
    const newer = pending.filter(({ key, revision }) => (stored.get(key)?.version ?? -1) <= revision);
    const due = await this.#stored.resolved(newer, stored);
    const moved = await this.#stored.movedUnits(due, stored);
    const keys = due.map(({ key }) => key);
    this.#strays.begin(keys);
    const targets = this.#targets;
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
    await this.#send(units());
    if (documents.length > 0) unseen.add('documents');
    await this.#send(documents);
    this.#strays.end(keys);
  }

  /** @throws as `writeBulk`; FencedError if another writer has taken over */
  async #send(items: Iterable<BulkItem>): Promise<void> {
    try {
      await writeBulk(this.#connection, items, this.#limits);
    } catch (error) {
      if (error instanceof ViewsMissingError) await this.#lease.confirm();
      throw error;
    }
  }

  /** Makes written rows visible. */
  async #show(name: IndexName): Promise<void> {
    if (!this.#unseen.has(name)) return;
    await onEveryCopy(this.#connection, `/${this.#aliases.of(name)}/_refresh`, { timeout: REFRESH_TIMEOUT_MS });
    this.#unseen.delete(name);
  }

  async #addSpaces(pending: readonly Pending[]): Promise<void> {
    for (const { row, units } of pending) {
      const dimensions = dimensionsIn(units);
      const space = row && spaceOfRow(row);
      if (!space || !dimensions || this.#spaces.has(space)) continue;
      await addSpace(this.#connection, this.#aliases, space, dimensions);
      this.#spaces.add(space);
    }
  }
}

function dimensionsIn(units: Pending['units']): number | undefined {
  const every = units && ('put' in units ? units.put.map(({ vectors }) => vectors) : units.vectors);
  const first = every?.find((vectors) => vectors !== null);
  return first && first.bare.length - SCALE_BYTES;
}

/** Bytes of the scale in front of a quantised vector; a cosine does not need it. */
const SCALE_BYTES = 4;
