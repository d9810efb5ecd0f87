/** One piece of work on one version of a document's content. */
export interface WorkMessage {
  readonly organization: string;
  readonly documentId: string;
  readonly contentVersion: number;
  /** Place in the log of what the work follows from; null: not known, as after a restart. */
  readonly position: string | null;
  /** Id of the event that the work follows from; null: not known. */
  readonly causationId: string | null;
}

/** Who sends work cannot receive it: handlers are declared with `@EventPattern`. */
export interface MessageBus {
  /**
   * Hands a message to the handler of the pattern, at least once. Resolves when the bus has taken it over, not when it is
   * handled. A handler that throws gets it again after growing pauses, as long as the process lives.
   */
  publish(pattern: string, message: WorkMessage): Promise<void>;
  /** True while a handler somewhere is at it, or will get it again. */
  inProgress(pattern: string, message: WorkMessage): boolean;
}

/** What a handler learns beside the message: `context.getArgByIndex(1)`. */
export type DeliveryCount = number;

export const MESSAGE_BUS = Symbol('MessageBus');
