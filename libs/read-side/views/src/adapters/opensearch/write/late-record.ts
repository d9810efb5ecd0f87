import type { Position } from '#ports/event-store';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import type { UnitExtent } from '../documents.ts';
import { getRows } from '../get-rows.ts';
import { LATE_UNITS, lateUnitsFrom } from '../late-units.ts';
import { CheckpointLease } from './lease.ts';

/** Writes how far the views are apart from units that are missing. */
export class LateRecord {
  readonly #lease: CheckpointLease<readonly string[]>;
  /** Documents of which a former writer may have left a part of the units. */
  #left: Set<string>;
  #position: Position | null;
  #late: readonly string[] = [];

  /** @throws FencedError if a writer with a higher fencing token was here */
  static async open(
    connection: Connection,
    aliases: Aliases,
    fencingToken: number,
    holder: string,
  ): Promise<LateRecord> {
    const meta = aliases.of('meta');
    const lease = await CheckpointLease.take<readonly string[]>(connection, meta, fencingToken, holder, LATE_UNITS);
    const record = new LateRecord(lease);
    await record.settled(await complete(connection, aliases.of('documents'), record.left));
    return record;
  }

  private constructor(lease: CheckpointLease<readonly string[]>) {
    this.#lease = lease;
    const found = lateUnitsFrom(lease.position);
    this.#position = found?.position ?? null;
    this.#left = new Set(found?.keys);
  }

  /** Up to here only units may be missing. Null: nothing was ever late. */
  get position(): Position | null {
    return this.#position;
  }

  get left(): readonly string[] {
    return [...this.#left];
  }

  /** @throws FencedError: another writer has taken over */
  async report(position: Position, late: readonly string[]): Promise<void> {
    for (const key of late) this.#left.delete(key);
    this.#position = position;
    this.#late = late;
    await this.#write();
  }

  /** To be called when searches find all units of these documents, or they are gone. @throws as `report` */
  async settled(keys: Iterable<string>): Promise<void> {
    const all = new Set(keys);
    const late = this.#late.filter((key) => !all.has(key));
    const left = this.left.filter((key) => !all.has(key));
    if (late.length === this.#late.length && left.length === this.#left.size) return;
    this.#late = late;
    this.#left = new Set(left);
    await this.#write();
  }

  async #write(): Promise<void> {
    if (this.#position !== null) await this.#lease.write([this.#position, ...this.#left, ...this.#late]);
  }
}

/** Of some documents, those that count their units, or are gone: a former writer may have ended before it said so. */
async function complete(connection: Connection, index: string, keys: readonly string[]): Promise<string[]> {
  type Counts = Partial<UnitExtent>;
  const docs = keys.map((key) => ({ _id: key, routing: key, _source: ['chunks', 'memories'] }));
  const found = docs.length === 0 ? [] : await getRows<Counts>(connection, index, docs);
  const open = new Set(
    found.flatMap(({ _id, _source: { chunks, memories } = {} }) => (chunks === 0 && memories === 0 ? _id : [])),
  );
  return keys.filter((key) => !open.has(key));
}
