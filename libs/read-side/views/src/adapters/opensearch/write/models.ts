import type { Position } from '#ports/event-store';
import { type BuildingModel, checkTable, type LeftOutRows, type RowsChange, type RowTable } from '../../../rows.ts';
import type { IndexOptions } from '../admin/indices.ts';
import { createRowIndex, hasRowIndex, removeRowIndices } from '../admin/row-indices.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { rowShapeOf } from '../mappings.ts';
import { type ModelRecord, recordFrom, recordId } from '../model-record.ts';
import type { BulkLimits } from './bulk.ts';
import { CheckpointLease } from './lease.ts';
import { LeftOutRecord } from './left-out-record.ts';
import { RowIndexWriter } from './row-index-writer.ts';

export interface ModelsOptions extends IndexOptions {
  readonly tables: readonly RowTable[];
  readonly fencingToken: number;
  readonly holder: string;
  readonly limits: BulkLimits;
  readonly now: () => number;
}

interface Model {
  readonly table: RowTable;
  readonly rows: RowIndexWriter;
  /** Writes the record, unless another writer has taken over. */
  readonly lease: CheckpointLease;
  record: ModelRecord;
}

/** The read models beside the documents: an index for the rows of each, and a record of how far it is built. */
export class ReadModels {
  readonly #models: ReadonlyMap<string, Model>;
  readonly #leftOut: LeftOutRecord;

  /**
   * Creates the indices of new and changed read models, and removes those of read models that are gone.
   * @param checkpoint of the views; what is created later than that has to be built up to it
   * @throws FencedError if a writer with a higher fencing token was here
   */
  static async open(
    connection: Connection,
    aliases: Aliases,
    checkpoint: Position | null,
    options: ModelsOptions,
  ): Promise<ReadModels> {
    const models = new Map<string, Model>();
    const meta = aliases.of('meta');
    const leftOut = await LeftOutRecord.open(connection, meta, options.fencingToken, options.holder);
    for (const table of options.tables) {
      checkTable(table);
      const { fencingToken, holder } = options;
      const lease = await CheckpointLease.take(connection, meta, fencingToken, holder, recordId(table.name));
      const known = lease.position === null ? null : recordFrom(lease.position);
      const isKnown = known?.shape === rowShapeOf(table) && (await hasRowIndex(connection, aliases, table));
      const building = checkpoint === null ? null : { after: null, until: checkpoint };
      const record = isKnown ? known : { shape: rowShapeOf(table), building };
      if (!isKnown) {
        // First: after a crash in between, the new index must not pass for one that has been built.
        await lease.write(JSON.stringify(record) as Position);
        await createRowIndex(connection, aliases, table, options);
        await leftOut.removeModel(table.name);
      }
      const rows = new RowIndexWriter(connection, aliases.ofModel(table.name), options.limits, options.now);
      models.set(table.name, { table, rows, lease, record });
    }
    await removeRowIndices(connection, aliases, new Set(models.keys()));
    return new ReadModels(models, leftOut);
  }

  private constructor(models: ReadonlyMap<string, Model>, leftOut: LeftOutRecord) {
    this.#models = models;
    this.#leftOut = leftOut;
  }

  building(): BuildingModel[] {
    return [...this.#models.values()].flatMap(({ table: { name }, record: { building } }) =>
      building === null ? [] : [{ name, ...building }],
    );
  }

  async write(changes: readonly RowsChange[]): Promise<void> {
    for (const [name, own] of Map.groupBy(changes, ({ model }) => model)) await this.#model(name).rows.write(own);
    await this.#leftOut.written(changes);
  }

  leaveOut(rows: readonly LeftOutRows[]): Promise<void> {
    return this.#leftOut.add(rows);
  }

  /** Lets searches find what was written. */
  async show(): Promise<void> {
    for (const { rows } of this.#models.values()) await rows.show();
  }

  /** @param after null: to the end. @throws FencedError: another writer has taken over */
  async built(name: string, after: Position | null): Promise<void> {
    const model = this.#model(name);
    const { shape, building } = model.record;
    if (building === null) throw new RangeError(`the read model ${name} is not being built`);
    const record = { shape, building: after === null ? null : { ...building, after } };
    await model.lease.write(JSON.stringify(record) as Position);
    model.record = record;
  }

  #model(name: string): Model {
    const model = this.#models.get(name);
    if (model === undefined) throw new RangeError(`there is no read model '${name}'`);
    return model;
  }
}
