import { contentHash } from '#kernel';

/**
 * Secrets that payloads are sealed with, stored apart from a log that cannot delete. Destroying the keys of a stream makes
 * its payloads unreadable in every copy of the log.
 */
export interface StreamKeys {
  /**
   * Makes the store of the keys. Called for a log without an id, which has no events yet: later a missing store is an
   * outage. Absent: it needs nothing to exist.
   */
  create?(): Promise<void>;
  /** Durable when it resolves. A stream may have several keys, each under its own id of 32 hexadecimal digits. */
  put(stream: string, id: string, key: Uint8Array): Promise<void>;
  /** Returns null if the key was destroyed or never existed. */
  get(stream: string, id: string): Promise<Uint8Array | null>;
  /** Destroys every key of the stream. Durable when it resolves. */
  destroy(stream: string): Promise<void>;
  /** Returns those of these streams that have keys. */
  among(streams: ReadonlySet<string>): Promise<readonly string[]>;
  /** Absent: there is nothing to close. */
  close?(): Promise<void>;
}

/** The part of a blob store that holds stream keys. */
export interface KeyBlobs {
  /** @see StreamKeys.create */
  create?(): Promise<void>;
  put(key: string, bytes: Uint8Array): Promise<unknown>;
  get(key: string): Promise<Uint8Array | null>;
  deletePrefix(prefix: string): Promise<void>;
  /** Yields `stream-keys/<hash of the stream>` of each stream that has keys. */
  listFolders(): AsyncIterable<string>;
}

/**
 * Stores keys as blobs `stream-keys/<hash of the stream>/<id>`.
 * @param blobs a store only for keys: the sweep of a document store removes folders that no document owns
 */
export function blobStreamKeys(blobs: KeyBlobs): StreamKeys {
  const folder = (stream: string) => `stream-keys/${contentHash(stream)}/`;
  return {
    create: async () => blobs.create?.(),
    put: async (stream, id, key) => {
      await blobs.put(folder(stream) + id, key);
    },
    get: (stream, id) => blobs.get(folder(stream) + id),
    destroy: (stream) => blobs.deletePrefix(folder(stream)),
    among: async (streams) => {
      const byFolder = new Map([...streams].map((stream) => [folder(stream), stream]));
      const found: string[] = [];
      for await (const name of blobs.listFolders()) {
        const stream = byFolder.get(`${name}/`);
        if (stream !== undefined) found.push(stream);
      }
      return found;
    },
  };
}
