import { StreamDeletedError } from '@eventstore/db-client';
import grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { TombstoneResp } from '@eventstore/db-client/generated/streams_pb.js';
import { LRUCache } from 'lru-cache';
import { hasCode } from '#platform/kernel';
import type { AppendOptions, AppendResult, ExpectedRevision, StreamSlice } from '../../port.ts';
import type { Connection } from './connection.ts';
import { DestroyedKeysError } from './errors.ts';
import { tombstoneRequest } from './requests.ts';
import type { StreamKeyCache } from './stream-key-cache.ts';

/** Separates the name of a stream from the number of its continuation. */
const SEPARATOR = '~';
/** Revisions of a continuation begin here, after any revision of the stream before it. */
const REVISIONS = 2 ** 40;
const MAX_REMOVED_STREAMS = 100_000;
const TOMBSTONE_TIMEOUT_MS = 10_000;

/** A stream of the database that holds a stream of the log, or what was appended after one was removed. */
export interface Place {
  readonly name: string;
  /** Added to the revisions in the database. 0: nothing was removed. */
  readonly offset: number;
}

/** The stream was soft-deleted: it is there, and would come back with the next append. */
export class SoftDeletedError extends Error {
  override readonly name = 'SoftDeletedError';
}

/** Returns the name in the log of a stream of the database, and what is added to its revisions. */
export function placeOf(name: string): { readonly stream: string; readonly offset: number } {
  const [stream = '', continuation] = name.split(SEPARATOR);
  return { stream, offset: continuation === undefined ? 0 : Number(continuation) * REVISIONS };
}

/**
 * Streams that an operator removed with the tools of the database: tombstoned or soft-deleted. What such a stream held is
 * gone. Nothing can be appended to a tombstoned stream, so what is appended later is kept in another one, and read as if it
 * followed in the same. A soft-deleted stream is tombstoned, because the next append would bring it back. So is one whose keys
 * were destroyed after the copy of the log that the database was restored from.
 */
export class RemovedStreams {
  readonly #connection: Connection;
  readonly #keys: StreamKeyCache;
  /** Number of the present continuation, by stream. */
  readonly #continuations = new LRUCache<string, number>({ max: MAX_REMOVED_STREAMS });

  constructor(connection: Connection, keys: StreamKeyCache) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** Works on the stream, or on its continuation if the work finds it removed. The work is repeated then. */
  async run<T>(stream: string, work: (place: Place) => Promise<T>): Promise<T> {
    for (let number = this.#continuations.get(stream) ?? 0; ; number++) {
      const name = number === 0 ? stream : `${stream}${SEPARATOR}${number}`;
      try {
        return await work({ name, offset: number * REVISIONS });
      } catch (error) {
        const isThere = error instanceof SoftDeletedError || error instanceof DestroyedKeysError;
        if (!isThere && !(error instanceof StreamDeletedError)) throw error;
        if (isThere) await this.#tombstone(name);
        this.#keys.markErased(name);
        this.#continuations.set(stream, number + 1);
      }
    }
  }

  /** Makes a removal final: tombstones the stream of the database, and destroys its keys. */
  async finish(name: string, isTombstoned: boolean): Promise<void> {
    if (!isTombstoned) await this.#tombstone(name);
    await this.#connection.retry(() => this.#keys.destroy(name));
  }

  async #tombstone(name: string): Promise<void> {
    const tombstone = () =>
      this.#connection.call<InstanceType<typeof grpc.StreamsClient>, TombstoneResp>(
        grpc.StreamsClient,
        (client, ...rest) => client.tombstone(tombstoneRequest(name), ...rest),
        TOMBSTONE_TIMEOUT_MS,
      );
    try {
      await this.#connection.retry(tombstone);
    } catch (error) {
      // Without the right to delete, the stream counts as removed as long as nothing is appended to it.
      if (error instanceof StreamDeletedError || hasCode(error, 'event_store_access_denied')) return;
      throw error;
    }
  }
}

/** Returns the options of an append in the database; null: the expected revision was removed. */
export function optionsIn({ offset }: Place, options: AppendOptions): AppendOptions | null {
  if (offset === 0) return options;
  const expected = expectedIn(offset, options.expected);
  return expected === null ? null : { ...options, expected };
}

/** A removed stream exists, whether something was appended later or not. */
function expectedIn(offset: number, expected: ExpectedRevision): ExpectedRevision | null {
  if (expected === 'any' || expected === 'stream-exists') return 'any';
  if (expected === 'no-stream' || expected < offset - 1) return null;
  return expected === offset - 1 ? 'no-stream' : expected - offset;
}

export function resultFrom({ offset }: Place, result: AppendResult): AppendResult {
  if (result.ok) return { ...result, revision: result.revision + offset };
  return { ok: false, conflict: { actual: revisionFrom(offset, result.conflict.actual) } };
}

export function sliceFrom({ offset }: Place, slice: StreamSlice): StreamSlice {
  if (offset === 0) return slice;
  return { events: slice.events, revision: revisionFrom(offset, slice.revision), erased: true };
}

/** The removed events end before the offset. */
function revisionFrom(offset: number, revision: number | 'no-stream'): number | 'no-stream' {
  if (revision !== 'no-stream') return revision + offset;
  return offset === 0 ? 'no-stream' : offset - 1;
}
