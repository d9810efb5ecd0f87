import { MnemeError } from '#kernel';
import type { NatsConnection } from '#nats';

export const BLOB_STORE = Symbol('BlobStore');

/** Files and long texts that no event can hold. A key is `<organization>/<document>/<name>`, derived by the caller. */
export interface BlobStore {
  /**
   * Durable (file and folder synced) when it resolves; the same key again replaces it. Until then, and if it rejects,
   * readers find what was there before.
   * @throws BlobStorageFullError, InvalidBlobKeyError; whatever the iterable throws
   */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly length: number }>;
  /**
   * Durable as `put`, but only where there is no blob of this key: of any number that try, in any process, one is told
   * true. False: there is one, and it is left as it is.
   * @throws BlobStorageFullError, InvalidBlobKeyError
   */
  putNew(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Null: no such blob. */
  get(key: string): Promise<Uint8Array | null>;
  /**
   * The bytes piece by piece, for blobs that are not held in memory. Null: no such blob. Ending the iteration early is
   * fine; nothing is held open before it begins.
   * @throws InvalidBlobKeyError; while it is iterated, BlobInterruptedError if the blob was replaced or deleted meanwhile
   */
  stream(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  /**
   * Path of the file that holds the blob, to be read by another process. Null: no such blob, or blobs are no files here.
   * @throws InvalidBlobKeyError
   */
  filePath(key: string): Promise<string | null>;
  /** Removes every blob whose key starts with `prefix` (a whole folder: it ends in `/`). Absent is fine. */
  deletePrefix(prefix: string): Promise<void>;
  /** Distinct `<organization>/<document>` folders, for the sweep of what no document owns. */
  listFolders(): AsyncIterable<string>;
}

/** There is no room for the blob. It may work later, and nothing was changed. */
export class BlobStorageFullError extends MnemeError {
  override readonly name = 'BlobStorageFullError';
  override readonly kind = 'transient';
  override readonly code = 'no_space';
}

/** A blob was replaced or deleted while it was streamed. Read it again. */
export class BlobInterruptedError extends MnemeError {
  override readonly name = 'BlobInterruptedError';
  override readonly kind = undefined;
  override readonly code = 'blob_interrupted';
}

/** Not `<organization>/<document>/<name>` of letters, digits, `.`, `_` and `-`: a mistake in the program. */
export class InvalidBlobKeyError extends MnemeError {
  override readonly name = 'InvalidBlobKeyError';
  override readonly kind = 'permanent';
  override readonly code = 'invalid_blob_key';
}

export interface NatsBlobOptions {
  readonly connection: NatsConnection;
  /** Name of the stream: letters, digits, `-` and `_`. */
  readonly bucket: string;
  /** Copies in the cluster. Where nothing is said: one, or what the operator has set. */
  readonly replicas?: number;
  /** Beyond it a put is refused; without it the server's own limit holds. */
  readonly maxBytes?: number;
}
