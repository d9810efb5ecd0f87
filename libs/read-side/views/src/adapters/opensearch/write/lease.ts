import type { Position } from '#ports/event-store';
import type { Connection } from '../connection.ts';
import { EngineRefusalError, FencedError, ViewsMissingError } from '../errors.ts';

/** A document of the meta index. */
interface MetaRecord<Value> {
  /** The fencing token. */
  readonly epoch: number;
  readonly holder: string;
  readonly position: Value | null;
}

interface StoredRecord<Value> {
  readonly found: boolean;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: MetaRecord<Value>;
}

export const CHECKPOINT = 'checkpoint';

export function readCheckpoint(connection: Connection, index: string, id = CHECKPOINT): Promise<Position | null> {
  return readRecord<Position>(connection, index, id);
}

export async function readRecord<Value extends RecordValue>(
  connection: Connection,
  index: string,
  id: string,
): Promise<Value | null> {
  return (await read<Value>(connection, index, id))._source?.position ?? null;
}

async function read<Value>(connection: Connection, index: string, id: string): Promise<StoredRecord<Value>> {
  try {
    return await connection.call<StoredRecord<Value>>({ method: 'GET', path: `/${index}/_doc/${id}` });
  } catch (error) {
    if (error instanceof EngineRefusalError && error.status === 404) return { found: false };
    throw error;
  }
}

/** What a record holds. */
type RecordValue = Position | readonly string[];

/**
 * The checkpoint, or another record, which is also a lease: it only overwrites the version that this writer wrote or adopted,
 * so that of two writers only the one with the higher fencing token makes progress.
 */
export class CheckpointLease<Value extends RecordValue = Position> {
  readonly #connection: Connection;
  readonly #index: string;
  readonly #token: number;
  readonly #holder: string;
  readonly #id: string;
  #position: Value | null = null;
  #condition: Readonly<Record<string, string | number>> = {};

  private constructor(connection: Connection, index: string, token: number, holder: string, id: string) {
    this.#connection = connection;
    this.#index = index;
    this.#token = token;
    this.#holder = holder;
    this.#id = id;
  }

  /**
   * Adopts the stored checkpoint. @throws FencedError if a writer with a higher fencing token was here, or another one
   * with the same
   */
  static async take<Value extends RecordValue = Position>(
    connection: Connection,
    index: string,
    token: number,
    holder: string,
    id = CHECKPOINT,
  ): Promise<CheckpointLease<Value>> {
    const lease = new CheckpointLease<Value>(connection, index, token, holder, id);
    await lease.#adopt();
    await lease.write(lease.#position);
    return lease;
  }

  get position(): Value | null {
    return this.#position;
  }

  /** @throws FencedError: another writer has taken over; ViewsMissingError: the checkpoint is gone */
  confirm(): Promise<void> {
    return this.#adopt();
  }

  /** Writes the checkpoint. @throws FencedError: another writer has taken over, nothing was written */
  async write(position: Value | null): Promise<void> {
    for (;;) {
      if (await this.#attempt(position)) return;
      // Another writer was here, or the answer to an earlier write was lost.
      await this.#adopt();
    }
  }

  async #attempt(position: Value | null): Promise<boolean> {
    const record: MetaRecord<Value> = { epoch: this.#token, holder: this.#holder, position };
    try {
      const { _seq_no, _primary_term } = await this.#connection.call<{ _seq_no: number; _primary_term: number }>({
        method: 'PUT',
        path: `/${this.#index}/_doc/${this.#id}`,
        query: { ...this.#condition, require_alias: true },
        body: { ...record },
      });
      this.#condition = { if_seq_no: _seq_no, if_primary_term: _primary_term };
      this.#position = position;
      return true;
    } catch (error) {
      if (error instanceof EngineRefusalError && error.status === 409) return false;
      throw error;
    }
  }

  /** Adopts the stored version as the one to overwrite. */
  async #adopt(): Promise<void> {
    const { found, _seq_no, _primary_term, _source } = await read<Value>(this.#connection, this.#index, this.#id);
    if (found && _source !== undefined) {
      const { epoch: token, holder } = _source;
      if (token > this.#token || (token === this.#token && holder !== this.#holder)) {
        throw new FencedError(
          `writer ${holder} with fencing token ${token} has taken over from ${this.#holder} with ${this.#token}`,
        );
      }
      this.#condition = { if_seq_no: _seq_no as number, if_primary_term: _primary_term as number };
      this.#position = _source.position;
      return;
    }
    if ('if_seq_no' in this.#condition) throw new ViewsMissingError('the checkpoint of the views is gone');
    this.#condition = { op_type: 'create' };
  }
}
