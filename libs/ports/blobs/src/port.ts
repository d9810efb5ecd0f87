import { mnemeError } from '#platform/kernel';
import type { NatsConnection, StreamLayout } from '#platform/nats';

export const BLOB_STORE = Symbol('BlobStore');

/** Files, and texts too long for an event. A key is `<organization>/<document>/<name>`, derived by the caller. */
export interface BlobStore {
  /**
   * Stores a blob, and replaces an earlier one of this key. Durable (file and folder synced) when it resolves. Readers get
   * the earlier blob until then, and if it rejects.
   * @throws BlobStorageFullError, BlobPutInterruptedError, InvalidBlobKeyError, and errors of the iterable
   */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly length: number }>;
  /**
   * Stores a file as `put` stores its bytes. The file stays, and must not be changed afterwards: the blob may be another
   * name of it.
   * @throws BlobStorageFullError, BlobPutInterruptedError, InvalidBlobKeyError, and errors of reading the file
   */
  putFile(key: string, path: string): Promise<{ readonly length: number }>;
  /** Returns null if there is no such blob. @throws InvalidBlobKeyError, DamagedBlobError */
  get(key: string): Promise<Uint8Array | null>;
  /** Returns the number of bytes, or null if there is no such blob. @throws InvalidBlobKeyError */
  size(key: string): Promise<number | null>;
  /**
   * Returns the bytes in pieces, or null if there is no such blob. The iteration may end early; no file is open before it
   * begins.
   * @param from bytes that are left out at the beginning. Default: 0.
   * @throws InvalidBlobKeyError; during the iteration BlobInterruptedError if the blob is replaced or deleted,
   * and DamagedBlobError
   */
  stream(key: string, from?: number): Promise<AsyncIterable<Uint8Array> | null>;
  /**
   * Returns the path of the blob's file, for another process to read. Null: no such blob, or blobs are not files.
   * @throws InvalidBlobKeyError
   */
  filePath(key: string): Promise<string | null>;
  /** Removes a blob. Accepts one that does not exist. @throws InvalidBlobKeyError */
  delete(key: string): Promise<void>;
  /**
   * Removes every blob whose key starts with `prefix`, a folder that ends in `/`. Accepts a folder that does not exist. Of a
   * put of this process that began before and ends after it, nothing stays, either.
   */
  deletePrefix(prefix: string): Promise<void>;
  /**
   * Removes what calls have left that were interrupted more than a day ago, by the end of a process or an error. Blobs that
   * are stored stay. For garbage collection. Ends early when the signal aborts.
   */
  removeInterrupted(signal: AbortSignal): Promise<void>;
  /**
   * Yields the distinct `<organization>/<document>` folders, for garbage collection: those with blobs, and those in which an
   * interrupted call has left something.
   */
  listFolders(): AsyncIterable<string>;
  /** Yields the folders that hold a blob of this name, for garbage collection. */
  listFoldersWith(name: string): AsyncIterable<string>;
}

/** The store has no space for the blob. Nothing was changed. */
export class BlobStorageFullError extends mnemeError('transient', 'no_space') {}

/** A blob was replaced or deleted while it was streamed. Read it again. */
export class BlobInterruptedError extends mnemeError(undefined, 'blob_interrupted') {}

/** Part of a blob is missing although the blob was not deleted: the store has lost it, or was restored incompletely. */
export class DamagedBlobError extends mnemeError('permanent', 'blob_damaged') {}

/**
 * A put took so long, for example in a suspended process, that what it had written may count as interrupted and be removed;
 * or the folder was deleted meanwhile by another process. Nothing is stored. Repeat the put.
 */
export class BlobPutInterruptedError extends mnemeError('transient', 'blob_put_interrupted') {}

/** A key is not `<organization>/<document>/<name>` of letters, digits, `.`, `_` and `-`: a mistake in the program. */
export class InvalidBlobKeyError extends mnemeError('permanent', 'invalid_blob_key') {}

export interface NatsBlobOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream: letters, digits, `-` and `_`. */
  readonly bucket: string;
  /** Whether a stream that does not exist is created now. It is never created later: blobs cannot be made again. */
  readonly mayCreate: boolean;
}
