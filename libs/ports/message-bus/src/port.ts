/** A job on one version of a document's content. */
export interface WorkMessage {
  readonly organization: string;
  readonly documentId: string;
  readonly contentVersion: number;
  /** Whose turn the job counts as: organization, and who sent the content (`key:<id>` or `system`), as far as it is known. */
  readonly caller: string;
  /** Number of dispatches of this job, this one included. */
  readonly attempt: number;
  /** Null: unknown, e.g. after a restart. */
  readonly cause: WorkCause | null;
  /**
   * Position of the last change of the organization's settings that the sender has seen. Null: they were never changed.
   * Absent: unknown.
   */
  readonly settingsAt?: string | null;
}

/** The event that causes a job: the last one of the document that the sender has seen. */
export interface WorkCause {
  readonly eventId: string;
  /** In the log. */
  readonly position: string;
  /** In the document's stream. */
  readonly revision: number;
  readonly correlationId: string;
  /** The document's tags after the event. */
  readonly tags: readonly string[];
  /** It is a memory that was recorded directly. */
  readonly isMemory?: true;
}

/** Sends jobs. Handlers are declared with `@EventPattern('…', WORK)`. */
export interface MessageBus {
  /**
   * Delivers a message to the handler of the pattern, at least once. Resolves when the bus has accepted it, not when it is
   * handled. After an error of the handler it is delivered again, with growing pauses; deliveries that end by a transient
   * error are not counted. While a message for the same version of the same document is in progress under the pattern,
   * another one is ignored, unless a later event of the document caused it and the one in progress ends soon: then it is
   * delivered after it.
   * @throws Error if the bus cannot be reached; the message may have been accepted
   */
  publish(pattern: string, message: WorkMessage): Promise<void>;
  /**
   * Whether the message waits for a delivery or is being handled, in any process.
   * @throws Error if the bus cannot be reached
   */
  inProgress(pattern: string, message: WorkMessage): Promise<boolean>;
  /**
   * Calls `onCount` with the number of processes that handle work, now and after each change, until the signal aborts. At
   * least 1. A change is reported within ten seconds.
   */
  watchWorkers(onCount: (count: number) => void, signal: AbortSignal): void;
}

/**
 * Number of deliveries of a message, this one included, those that ended by a transient error excluded:
 * `context.getArgByIndex(1)`.
 */
export type DeliveryCount = number;

/** A message on the bus that could not be read. */
export interface DeadLetter {
  /** Later ids are greater as numbers. */
  readonly id: string;
  /** The subject that it was sent to. */
  readonly subject: string;
  readonly why: string;
  /** When it became a dead letter. ISO 8601, UTC. */
  readonly at: string;
  /** As received. */
  readonly body: Uint8Array;
}

export interface DeadLetters {
  /** Returns dead letters, oldest first. */
  list(options: { readonly after: string | null; readonly limit: number }): Promise<readonly DeadLetter[]>;
  /** Sends it again to its subject and removes it here. Returns false for an unknown id. */
  retry(id: string): Promise<boolean>;
  /** Returns false for an unknown id. */
  remove(id: string): Promise<boolean>;
}

/**
 * Marks the handlers of the bus: `@EventPattern('…', WORK)`, in a controller with `@UseFilters(new HandlerErrors())`. The bus
 * waits for running handlers when it closes, and ignores their errors. A handler can end early by the signal that aborts
 * then: `context.getArgByIndex(2)`.
 */
export const WORK = Symbol('work');
