import type { LeftOutRows, RowsChange } from '../../../rows.ts';
import type { Connection } from '../connection.ts';
import { LEFT_OUT, leftOutFrom, leftOutRecord } from '../left-out.ts';
import { CheckpointLease } from './lease.ts';

const keyOf = ({ model, stream }: Pick<LeftOutRows, 'model' | 'stream'>): string => JSON.stringify([model, stream]);

/** Keeps in mind which rows of read models are missing. */
export class LeftOutRecord {
  readonly #lease: CheckpointLease<readonly string[]>;
  readonly #rows: Map<string, LeftOutRows>;

  /** @throws FencedError if a writer with a higher fencing token was here */
  static async open(connection: Connection, meta: string, token: number, holder: string): Promise<LeftOutRecord> {
    return new LeftOutRecord(await CheckpointLease.take<readonly string[]>(connection, meta, token, holder, LEFT_OUT));
  }

  private constructor(lease: CheckpointLease<readonly string[]>) {
    this.#lease = lease;
    this.#rows = new Map(leftOutFrom(lease.position).map((row) => [keyOf(row), row]));
  }

  /** @throws FencedError: another writer has taken over */
  async add(rows: readonly LeftOutRows[]): Promise<void> {
    for (const row of rows) this.#rows.set(keyOf(row), row);
    await this.#write();
  }

  /** To be called when changes were written. @throws as `add` */
  async written(changes: readonly RowsChange[]): Promise<void> {
    const replaced = changes.filter((change) => change.floor !== null && this.#rows.delete(keyOf(change)));
    if (replaced.length > 0) await this.#write();
  }

  /** To be called when a read model is built from the beginning. @throws as `add` */
  async removeModel(model: string): Promise<void> {
    const own = [...this.#rows.values()].filter((row) => row.model === model);
    for (const row of own) this.#rows.delete(keyOf(row));
    if (own.length > 0) await this.#write();
  }

  #write(): Promise<void> {
    return this.#lease.write(leftOutRecord(this.#rows.values()));
  }
}
