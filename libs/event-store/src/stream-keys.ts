import { contentHash } from '#kernel';

/**
 * The secrets that payloads are sealed with, kept apart from a log that cannot forget. Destroying the keys of a stream
 * makes its payloads unreadable in every copy of the log.
 */
export interface StreamKeys {
  /** Durable when it resolves. A stream may have several keys, each under an id of its own: 32 hexadecimal digits. */
  put(stream: string, id: string, key: Uint8Array): Promise<void>;
  /** Null: it was destroyed, or there never was one. */
  get(stream: string, id: string): Promise<Uint8Array | null>;
  /** Every key of the stream is gone for ever when it resolves. None is fine. */
  destroy(stream: string): Promise<void>;
}

/** What keys need of a blob store. */
export interface KeyBlobs {
  put(key: string, bytes: Uint8Array): Promise<unknown>;
  get(key: string): Promise<Uint8Array | null>;
  deletePrefix(prefix: string): Promise<void>;
}

/**
 * Stream keys as blobs `stream-keys/<hash of the stream>/<id>`.
 * @param blobs a store of their own: where documents are kept, folders that no document owns are swept away
 */
export function blobStreamKeys(blobs: KeyBlobs): StreamKeys {
  const folder = (stream: string) => `stream-keys/${contentHash(stream)}/`;
  return {
    put: async (stream, id, key) => {
      await blobs.put(folder(stream) + id, key);
    },
    get: (stream, id) => blobs.get(folder(stream) + id),
    destroy: (stream) => blobs.deletePrefix(folder(stream)),
  };
}
