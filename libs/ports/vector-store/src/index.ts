import type { NatsVectorOptions, VectorStore } from './port.ts';

export { SqliteVectorStore } from './adapters/sqlite/sqlite-vector-store.ts';
export { openVectorReader, type VectorReader } from './adapters/sqlite/vector-reader.ts';
export type { NatsVectorOptions, QuantizedVector, VectorStore } from './port.ts';
export { decodeTokens, encodeTokens } from './token-records.ts';

/**
 * Opens the vectors on a JetStream stream, and creates the stream if needed. The first call loads the driver. The caller owns
 * the connection.
 */
export async function openNatsVectorStore(options: NatsVectorOptions): Promise<VectorStore> {
  const { NatsVectorStore } = await import('./adapters/nats/nats-vector-store.ts');
  return NatsVectorStore.open(options);
}
