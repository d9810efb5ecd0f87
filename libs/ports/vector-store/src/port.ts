import type { NatsConnection, StreamLayout } from '#platform/nats';

/** One quantized vector: bytes 0–3 the scale (float32, little endian), then `dimensions` int8. value = scale * int8. */
export type QuantizedVector = Uint8Array;

/**
 * Vectors by the hash of (vector space, organization, text), and the tokens of units (`MNEME_RERANK=on`) by that of (vector
 * space, organization, id). Durable, so that a rebuild need not embed again; erased with the last document that uses them.
 * `owner` is the document's stream.
 */
export interface VectorStore {
  /** Returns vectors in the order of `keys`; null for a key that is not stored. */
  get(keys: readonly string[]): Promise<readonly (QuantizedVector | null)[]>;
  /**
   * Stores vectors and records that `owner` uses them. One that is stored under the key already is replaced. Durable when it
   * resolves.
   */
  put(owner: string, entries: readonly { readonly key: string; readonly vector: QuantizedVector }[]): Promise<void>;
  /** Records that `owner` uses the keys that are stored. Returns the keys that are not stored. */
  claim(owner: string, keys: readonly string[]): Promise<readonly string[]>;
  /**
   * Ends the use of all keys but `except` by this owner, and erases vectors without an owner.
   * @param heir uses them from then on. Absent: nobody
   */
  release(owner: string, except?: readonly string[], heir?: string): Promise<void>;
  /** Yields those of these owners that use vectors. One whose release was cut off, or has just resolved, may be among them. */
  ownersAmong(owners: ReadonlySet<string>): AsyncIterable<string>;
  close(): Promise<void>;
}

export interface NatsVectorOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream. Default: `mneme-vectors`. */
  readonly bucket?: string;
}
