import { mnemeError } from '#platform/kernel';

/**
 * The source as a whole can't be read: its permission has ended, or its root is not there. Nothing is removed because of it.
 */
export class SourceLostError extends mnemeError('permanent', 'source_lost') {}

/** One item can't be read, and the others can: too large, not to be exported, gone in the meantime. */
export class ItemUnreadableError extends mnemeError('permanent', 'item_unreadable') {}

/** The source asks for a pause. */
export class SourceBusyError extends mnemeError('transient', 'source_busy') {
  /** Milliseconds. Null: the source does not say how long. */
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}
