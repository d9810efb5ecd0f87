export { NatsStreamKeys } from './adapters/nats/nats-stream-keys.ts';
export { SqliteStreamKeys } from './adapters/sqlite/keys/sqlite-stream-keys.ts';
export { DataFolderInUseError, lockDataFolder } from './adapters/sqlite/lock.ts';
export { LogCopy, renewStoreId } from './adapters/sqlite/log-copy.ts';
export { SqliteEventStore } from './adapters/sqlite/sqlite-event-store.ts';
export { appendAll } from './append-all.ts';
export {
  type CommandHandler,
  ConcurrencyExhaustedError,
  createCommandHandler,
  type Decision,
  type Loaded,
  type StreamChange,
} from './command-handler.ts';
export { PayloadTooLargeError, StorageFullError } from './errors.ts';
export { inspectEventStoreDb, openEventStoreDb } from './eventstoredb.ts';
export { createFoldCache, type FoldCache } from './fold-cache.ts';
export { FollowedStates } from './followed-states.ts';
export { Generations, STREAM_REOPENED } from './generations.ts';
export type { Model } from './model.ts';
export type {
  ChainResult,
  EventEnvelope,
  EventFilter,
  EventStore,
  NewEvent,
  Position,
  RecordedEvent,
} from './port.ts';
export { holdsAll } from './positions.ts';
export { readPages } from './read-pages.ts';
export { type Cause, type Recording, record, requestCause, SYSTEM, systemCause } from './recording.ts';
export type { StreamKeys } from './stream-keys.ts';
export { StreamQueues } from './stream-queues.ts';
export {
  createUpcasters,
  UpcasterChainError,
  withUpcasters,
} from './upcasters.ts';
