import type { NatsConnection } from '#nats';

/** One quantised vector: bytes 0–3 the scale (float32, little endian), then `dimensions` int8. value = scale * int8. */
export type QuantizedVector = Uint8Array;

/**
 * Vectors by the hash of (vector space, organization, text). Durable, so that a rebuild embeds nothing twice; erased with
 * the last document that uses them. `owner` is the document's stream.
 */
export interface VectorCache {
  /** Answers in the order of `keys`; null where it holds none. */
  get(keys: readonly string[]): Promise<readonly (QuantizedVector | null)[]>;
  /** Durable when it resolves. Records that `owner` uses each key. */
  put(owner: string, entries: readonly { readonly key: string; readonly vector: QuantizedVector }[]): Promise<void>;
  /** Records that `owner` uses keys that are already held; answers with those that are not. */
  claim(owner: string, keys: readonly string[]): Promise<readonly string[]>;
  /** Forgets what only this owner used. `except`: keys that it goes on using. */
  release(owner: string, except?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface NatsVectorOptions {
  readonly connection: NatsConnection;
  /** Name of the stream; `mneme-vectors` where nothing is said. */
  readonly bucket?: string;
  /** Copies in the cluster. Where nothing is said: one, or what the operator has set. */
  readonly replicas?: number;
}
