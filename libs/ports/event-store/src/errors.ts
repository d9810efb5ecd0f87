import { mnemeError } from '#platform/kernel';

/** A payload has more than 65 KiB as JSON. Longer content belongs into a blob. */
export class PayloadTooLargeError extends mnemeError('permanent', 'payload_too_large') {}

/** An append has more events or bytes than every engine takes. `appendAll` divides events into several. */
export class AppendTooLargeError extends mnemeError('permanent', 'append_too_large') {}

/** The store has no space to write. Reads and deletions still succeed. */
export class StorageFullError extends mnemeError('transient', 'no_space') {}

/**
 * The store did not answer within its patience. An append may have been stored: repeating the call with the same event ids
 * stores it once.
 */
export class EventStoreUnreachableError extends mnemeError('transient', 'event_store_unreachable') {}
