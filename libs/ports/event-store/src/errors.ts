import { MnemeError } from '#platform/kernel';

/** A payload has more than 65 KiB as JSON. Longer content belongs into a blob. */
export class PayloadTooLargeError extends MnemeError {
  override readonly name = 'PayloadTooLargeError';
  override readonly kind = 'permanent';
  override readonly code = 'payload_too_large';
}

/** An append has more events or bytes than every engine takes. `appendAll` divides events into several. */
export class AppendTooLargeError extends MnemeError {
  override readonly name = 'AppendTooLargeError';
  override readonly kind = 'permanent';
  override readonly code = 'append_too_large';
}

/** The store has no space to write. Reads and deletions still succeed. */
export class StorageFullError extends MnemeError {
  override readonly name = 'StorageFullError';
  override readonly kind = 'transient';
  override readonly code = 'no_space';
}

/**
 * The store did not answer within its patience. An append may have been stored: repeating the call with the same event ids
 * stores it once.
 */
export class EventStoreUnreachableError extends MnemeError {
  override readonly name = 'EventStoreUnreachableError';
  override readonly kind = 'transient';
  override readonly code = 'event_store_unreachable';
}
