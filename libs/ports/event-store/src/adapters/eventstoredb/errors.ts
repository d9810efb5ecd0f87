import { mnemeError } from '#platform/kernel';

/** The setting is not a connection string of EventStoreDB. */
export class InvalidEventStoreUrlError extends mnemeError('permanent', 'invalid_event_store_url') {}

/** The server rejects the user, or the user lacks a right. Once an administrator has granted it, the same call succeeds. */
export class EventStoreAccessDeniedError extends mnemeError('transient', 'event_store_access_denied') {}

/** The configured stream keys belong to another database. */
export class ForeignStreamKeysError extends mnemeError('permanent', 'foreign_stream_keys') {}

/** The log was written by another version of the program, whose form this one does not read. */
export class LogFormatError extends mnemeError('permanent', 'log_format') {}

/** An operator deleted the stream that names the log. */
export class StoreIdentityRemovedError extends mnemeError('permanent', 'event_store_identity_removed') {}

/** The log in the database was replaced while this process ran. */
export class EventLogReplacedError extends mnemeError('permanent', 'event_log_replaced') {}

/** The key of a payload is missing although its stream was not erased. Must not be treated as an erasure. */
export class MissingStreamKeyError extends mnemeError('permanent', 'stream_key_missing') {}

/**
 * The keys of a stream were destroyed, which the log does not show: it is older than the erasure. What the stream holds cannot
 * be read again.
 */
export class DestroyedKeysError extends Error {
  override readonly name = 'DestroyedKeysError';
}

/** The server does not return the positions of events when it reads a stream. */
export class EventStoreTooOldError extends mnemeError('permanent', 'event_store_too_old') {}

/** The store of the stream keys failed. */
export class KeyStoreError extends mnemeError('transient', 'key_store_failed') {}
