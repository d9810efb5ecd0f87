/** One piece of work on one version of a document's content. */
export interface WorkMessage {
  readonly organization: string;
  readonly documentId: string;
  readonly contentVersion: number;
  /** How many times this work was dispatched, this time included. */
  readonly attempt: number;
  /** Null: not known, as after a restart. */
  readonly cause: WorkCause | null;
}

/** The event that a piece of work follows from: the last one of the document that its sender has seen. */
export interface WorkCause {
  readonly eventId: string;
  /** Place in the log. */
  readonly position: string;
  /** In the document's stream. */
  readonly revision: number;
  readonly correlationId: string;
  /** The document's tags from it on. */
  readonly tags: readonly string[];
}

/** Who sends work cannot receive it: handlers are declared with `@EventPattern('…', WORK)`. */
export interface MessageBus {
  /**
   * Hands a message to the handler of the pattern, at least once. Resolves when the bus has taken it over, not when it is
   * handled. A handler that throws gets it again after growing pauses; a delivery that ended by a transient error is not
   * counted. While a message of the same version of the same document is in progress under the pattern, another changes
   * nothing.
   * @throws when the bus cannot be reached; the message may have been taken over all the same
   */
  publish(pattern: string, message: WorkMessage): Promise<void>;
  /**
   * True while a handler somewhere is at it, or will get it (again).
   * @throws when the bus cannot be reached
   */
  inProgress(pattern: string, message: WorkMessage): Promise<boolean>;
  /**
   * Tells how many processes handle work, as far as is known here: at once, and whenever it changes, until the signal
   * aborts. Never fewer than one; one that comes or goes is told within ten seconds.
   */
  watchWorkers(onCount: (count: number) => void, signal: AbortSignal): void;
}

/**
 * How many times this message was handed out, this time included and transient errors not counted:
 * `context.getArgByIndex(1)`.
 */
export type DeliveryCount = number;

/** Something that came over the bus and could not be read. */
export interface DeadLetter {
  /** Names it in the calls of `DeadLetters`; later ones are greater as numbers. */
  readonly id: string;
  /** Where it was sent to. */
  readonly subject: string;
  readonly why: string;
  /** When it was put aside; ISO 8601, UTC. */
  readonly at: string;
  /** As it came. */
  readonly body: Uint8Array;
}

export interface DeadLetters {
  /** In the order in which they came. */
  list(options: { readonly after: string | null; readonly limit: number }): Promise<readonly DeadLetter[]>;
  /** Sends it once more to where it was sent to, and forgets it here. False: there is none of this id. */
  retry(id: string): Promise<boolean>;
  /** False: there is none of this id. */
  remove(id: string): Promise<boolean>;
}

export const MESSAGE_BUS = Symbol('MessageBus');

/** Marks the handlers of the bus: `@EventPattern('…', WORK)`, in a controller with `@UseFilters(new HandlerErrors())`. */
export const WORK = Symbol('work');
