/** The setting is no connection string of EventStoreDB. */
export class InvalidEventStoreUrlError extends Error {
  override readonly name = 'InvalidEventStoreUrlError';
}

/** The keys that were given are not those that this database's payloads are sealed with. */
export class ForeignStreamKeysError extends Error {
  override readonly name = 'ForeignStreamKeysError';
}

/** A payload is sealed with a key that is not there, though its stream was never erased. Never read as an erasure. */
export class MissingStreamKeyError extends Error {
  override readonly name = 'MissingStreamKeyError';
}

/** The server does not tell the positions of events in the reads of a stream. */
export class EventStoreTooOldError extends Error {
  override readonly name = 'EventStoreTooOldError';
}

/** The store of the stream keys failed; it may work later. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}
