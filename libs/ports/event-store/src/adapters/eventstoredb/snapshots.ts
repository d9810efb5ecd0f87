import { randomUUID } from 'node:crypto';
import { StreamDeletedError } from '@eventstore/db-client';
import type { JsonObject } from '#platform/kernel';
import type { Connection } from './connection.ts';
import { DestroyedKeysError } from './errors.ts';
import type { LogReader } from './log-reader.ts';
import { changeMetadata } from './metadata.ts';
import type { EventProposal, RecordedMessage } from './requests.ts';
import { keyIdOf, seal, unseal } from './sealing.ts';
import type { StreamKeyCache } from './stream-key-cache.ts';
import { eventId, SNAPSHOTS } from './wire.ts';

/** Fits the server's usual limit of 1 MiB for one append. */
const MAX_SNAPSHOT_BYTES = 900 * 1024;

/** Snapshots in streams of their own, which keep one event, sealed with a key of the stream that the snapshot is of. */
export class Snapshots {
  readonly #connection: Connection;
  readonly #keys: StreamKeyCache;
  readonly #reader: LogReader;

  constructor(connection: Connection, keys: StreamKeyCache, reader: LogReader) {
    this.#connection = connection;
    this.#keys = keys;
    this.#reader = reader;
  }

  async save(stream: string, revision: number, name: string, state: JsonObject): Promise<void> {
    const text = JSON.stringify(state);
    if (Buffer.byteLength(text) > MAX_SNAPSHOT_BYTES) return;
    if ((await this.#reader.lastOf(stream)) === null) return;
    const key = await this.#connection.retry(() => this.#keys.toSeal(stream, false));
    if (key === null) return;
    const snapshots = snapshotStream(stream, name);
    const id = randomUUID();
    const snapshot: EventProposal = {
      id,
      type: 'Snapshot',
      data: seal(text, key, snapshots, id),
      metadata: Buffer.from(JSON.stringify({ revision })),
    };
    for (let saved = false; !saved; ) {
      const current = await this.#reader.lastOf(snapshots);
      if (current && revisionOf(current) >= revision) return;
      if (!current) await changeMetadata(this.#connection, snapshots, { $maxCount: 1 }, '$maxCount');
      const at = current ? Number(current.getStreamRevision()) : 'no-stream';
      saved = (await this.#connection.retry(() => this.#connection.append(snapshots, [snapshot], at))).ok;
    }
    key.keep();
  }

  async load(stream: string, name: string): Promise<{ revision: number; state: JsonObject } | null> {
    const snapshots = snapshotStream(stream, name);
    const current = await this.#reader.lastOf(snapshots).catch(noneIfRemoved);
    const keyId = current && keyIdOf(current.getData_asU8());
    if (!current || !keyId) return null;
    const secret = await this.#connection.retry(() => this.#keys.toOpen(stream, keyId)).catch(noneIfRemoved);
    if (!secret) return null;
    const state = JSON.parse(unseal(current.getData_asU8(), secret, snapshots, eventId(current))) as JsonObject;
    return { revision: revisionOf(current), state };
  }
}

/** A snapshot only saves time, so one that was removed or cannot be opened again counts as none. */
function noneIfRemoved(error: unknown): null {
  if (error instanceof StreamDeletedError || error instanceof DestroyedKeysError) return null;
  throw error;
}

function snapshotStream(stream: string, name: string): string {
  return `${SNAPSHOTS}${name}-${stream}`;
}

function revisionOf(snapshot: RecordedMessage): number {
  return (JSON.parse(Buffer.from(snapshot.getCustomMetadata_asU8()).toString()) as { revision: number }).revision;
}
