export {
  EventStoreTooOldError,
  ForeignStreamKeysError,
  InvalidEventStoreUrlError,
  MissingStreamKeyError,
} from './adapters/eventstoredb/errors.ts';
export type { EventStoreDbOptions } from './adapters/eventstoredb/options.ts';
export { DataFolderInUseError, type DataFolderLock, lockDataFolder } from './adapters/sqlite/lock.ts';
export { NewerSchemaError } from './adapters/sqlite/schema.ts';
export { SqliteEventStore, type SqliteEventStoreOptions } from './adapters/sqlite/sqlite-event-store.ts';
export {
  type Command,
  type CommandHandler,
  type CommandHandlerOptions,
  ConcurrencyExhaustedError,
  createCommandHandler,
  type Decision,
  type Executed,
  type Loaded,
  type Model,
} from './command-handler.ts';
export { inspectEventStoreDb, openEventStoreDb } from './eventstoredb.ts';
export { createFoldCache, type Fold, type FoldCache } from './fold-cache.ts';
export {
  type AllSlice,
  type AppendOptions,
  type AppendResult,
  type EventEnvelope,
  type EventFilter,
  type EventStore,
  EventStoreUnreachableError,
  type ExpectedRevision,
  type NewEvent,
  PayloadTooLargeError,
  type Position,
  type RecordedEvent,
  StorageFullError,
  type StreamSlice,
} from './port.ts';
export { readPages } from './read-pages.ts';
export { type Cause, record, SYSTEM, systemCause } from './recording.ts';
export { blobStreamKeys, type KeyBlobs, type StreamKeys } from './stream-keys.ts';
export {
  createUpcasters,
  noUpcasters,
  type Upcast,
  UpcasterChainError,
  type Upcasters,
  withUpcasters,
} from './upcasters.ts';
