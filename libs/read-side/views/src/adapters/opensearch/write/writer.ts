import type { Position } from '#ports/event-store';
import type { DocumentChange, DocumentRow } from '../../../documents.ts';
import type { BuildingModel, LeftOutRows, RowsChange, RowTable } from '../../../rows.ts';
import type { DocumentName, ViewsChange, ViewsWriter } from '../../../writer-port.ts';
import { applySettings } from '../admin/index-settings.ts';
import { type IndexOptions, prepareIndices, readVectorSpace } from '../admin/indices.ts';
import type { MergeOptions } from '../admin/merge.ts';
import { Aliases } from '../aliases.ts';
import { Connection } from '../connection.ts';
import type { IndexName } from '../mappings.ts';
import { documentKey } from '../terms.ts';
import { BULK_LIMITS, type BulkLimits } from './bulk.ts';
import { foldChanges } from './changes.ts';
import { mergeDaily } from './daily-merge.ts';
import { DocumentRows } from './document-rows.ts';
import { FileUnits, type UnitFile } from './file-units.ts';
import { Gate } from './gate.ts';
import { LateRecord } from './late-record.ts';
import { CheckpointLease } from './lease.ts';
import { ReadModels } from './models.ts';
import { purgeViews } from './purge.ts';
import { Refresher } from './refresher.ts';
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

/** Names a writer in its records. */
type Owner = Pick<OpenSearchWriterOptions, 'fencingToken' | 'holder'>;

/** What a writer is opened with. */
interface Parts {
  readonly connection: Connection;
  readonly aliases: Aliases;
  readonly lease: CheckpointLease;
  readonly late: LateRecord;
  readonly models: ReadModels;
  readonly strays: StrayUnits;
  readonly madeFor: string | null;
}

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
  readonly #late: LateRecord;
  readonly #strays: StrayUnits;
  readonly #refresher: Refresher;
  readonly #rows: DocumentRows;
  readonly #files: FileUnits;
  readonly #gate = new Gate();
  readonly #now: () => number;
  readonly #owner: Owner;

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
      const { fencingToken, holder } = options;
      const lease = await CheckpointLease.take(connection, aliases.of('meta'), fencingToken, holder);
      const late = await LateRecord.open(connection, aliases, fencingToken, holder);
      await takeWriterAliases(connection, aliases, fencingToken);
      // If this process was paused in between, the aliases were those of a later writer, which takes them again.
      await lease.confirm();
      const strays = await StrayUnits.open(connection, aliases);
      const madeFor = await readVectorSpace(connection, aliases);
      const limits = { ...BULK_LIMITS, ...options.bulk };
      const { tables = [], now = Date.now } = options;
      const models = await ReadModels.open(connection, aliases, lease.position, { ...options, tables, limits, now });
      await applySettings(connection, aliases, options);
      const parts = { connection, aliases, lease, late, models, strays, madeFor };
      return new OpenSearchViewsWriter(parts, { ...options, limits, now });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private constructor(
    parts: Parts,
    { limits, now, fencingToken, holder }: Owner & { readonly limits: BulkLimits; readonly now: () => number },
  ) {
    const { connection, aliases, lease, late, models, strays } = parts;
    this.#connection = connection;
    this.#aliases = aliases;
    this.#lease = lease;
    this.#late = late;
    this.#models = models;
    this.#strays = strays;
    this.#refresher = new Refresher(connection, aliases);
    const targetOf = (name: IndexName) => aliases.ofWriter(fencingToken, name);
    const targets = { documents: targetOf('documents'), units: targetOf('units') };
    const options = { ...parts, refresher: this.#refresher, targets, limits, now };
    this.#rows = new DocumentRows(options);
    this.#files = new FileUnits(options, this.#rows, this.#gate);
    this.#now = now;
    this.#owner = { fencingToken, holder };
  }

  async checkpoint(): Promise<Position | null> {
    return this.#lease.position;
  }

  async positions(): Promise<readonly Position[]> {
    return [this.#lease.position, this.#late.position].filter((position) => position !== null);
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
    await this.#refresher.show('units');
    await this.#refresher.show('documents');
    await this.#rows.settle();
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
    await this.#gate.together(() => this.#rows.write([...foldChanges(documents).values()]));
    if (rows.length > 0) await this.#models.write(rows);
  }

  caughtUp(): void {
    this.#strays.caughtUp();
    // Of these, units were not written again yet.
    this.#strays.begin(this.#late.left);
  }

  /** @throws FencedError: another writer has taken over */
  async report(position: Position, late: readonly DocumentName[]): Promise<void> {
    await this.#late.report(
      position,
      late.map(({ organization, id }) => documentKey(organization, id)),
    );
  }

  /** @see FileUnits.mayBeLate */
  mayBeLate(document: DocumentName): Promise<boolean> {
    return this.#files.mayBeLate(document);
  }

  /** @see FileUnits.writeAhead */
  writeFileAhead(row: DocumentRow, file: UnitFile, signal: AbortSignal): Promise<void> {
    return this.#files.writeAhead(row, file, signal);
  }

  /** @see FileUnits.writeLate */
  writeFileLate(row: DocumentRow, file: UnitFile, signal: AbortSignal): Promise<void> {
    return this.#files.writeLate(row, file, signal);
  }

  /** @see FileUnits.removeUnfound */
  removeUnfound(row: DocumentRow): Promise<void> {
    return this.#files.removeUnfound(row);
  }

  leaveOut(rows: readonly LeftOutRows[]): Promise<void> {
    return this.#models.leaveOut(rows);
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
    await purgeViews(this.#connection, this.#aliases, this.#gate, this.#now());
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
}
