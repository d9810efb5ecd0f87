import { MnemeError } from '#kernel';
/** The setting is no connection string of EventStoreDB. */
export class InvalidEventStoreUrlError extends MnemeError {
  override readonly name = 'InvalidEventStoreUrlError';
  override readonly kind = 'permanent';
  override readonly code = 'invalid_event_store_url';
}

/** The keys that were given are not those that this database's payloads are sealed with. */
export class ForeignStreamKeysError extends MnemeError {
  override readonly name = 'ForeignStreamKeysError';
  override readonly kind = 'permanent';
  override readonly code = 'foreign_stream_keys';
}

/** A payload is sealed with a key that is not there, though its stream was never erased. Never read as an erasure. */
export class MissingStreamKeyError extends MnemeError {
  override readonly name = 'MissingStreamKeyError';
  override readonly kind = 'permanent';
  override readonly code = 'stream_key_missing';
}

/** The server does not tell the positions of events in the reads of a stream. */
export class EventStoreTooOldError extends MnemeError {
  override readonly name = 'EventStoreTooOldError';
  override readonly kind = 'permanent';
  override readonly code = 'event_store_too_old';
}

/** The store of the stream keys failed; it may work later. */
export class KeyStoreError extends MnemeError {
  override readonly name = 'KeyStoreError';
  override readonly kind = 'transient';
  override readonly code = 'key_store_failed';
}
