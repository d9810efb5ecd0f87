import type { NatsVectorOptions, VectorCache } from './port.ts';

export { SqliteVectorCache } from './adapters/sqlite/sqlite-vector-cache.ts';
export { openVectorReader, type VectorReader } from './adapters/sqlite/vector-reader.ts';
export type { NatsVectorOptions, QuantizedVector, VectorCache } from './port.ts';
export { decodeTokens, encodeTokens } from './token-records.ts';

/**
 * Opens the vectors on a JetStream stream, and creates the stream if needed. The first call loads the driver. The caller owns
 * the connection.
 */
export async function openNatsVectorCache(options: NatsVectorOptions): Promise<VectorCache> {
  const { NatsVectorCache } = await import('./adapters/nats/nats-vector-cache.ts');
  return NatsVectorCache.open(options);
}
