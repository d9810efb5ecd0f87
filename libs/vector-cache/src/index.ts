export { SqliteVectorCache } from './adapters/sqlite/sqlite-vector-cache.ts';
export { openVectorReader, type VectorReader } from './adapters/sqlite/vector-reader.ts';
export type { QuantizedVector, VectorCache } from './port.ts';
