import type { EventCatalogue, EventOf } from '#platform/kernel';

/** An erasure that fails again and again. It is repeated while those after it go on. */
export interface FailingErasure {
  /** Of the event that erases. */
  readonly stream: string;
  readonly revision: number;
  readonly failures: number;
  /** Of the first failure. Milliseconds since the Unix epoch. */
  readonly since: number;
  /** Message of the last error. */
  readonly reason: string;
}

/**
 * Up to here every deletion has been finished, so that each is looked at once. `failing`: except these; absent: none.
 * `unlisted`: so many of those after the position have failed; absent: none.
 */
export type ErasuresFinished = EventOf<
  'ErasuresFinished',
  { readonly position: string | null; readonly failing?: readonly FailingErasure[]; readonly unlisted?: number }
>;
export type ErasureEvent = ErasuresFinished;

export const ERASURE_EVENTS: EventCatalogue<ErasureEvent> = {
  ErasuresFinished: { version: 1, payload: true },
};

/**
 * Streams that an operator removed with the tools of the log's engine. None: the log was examined up to the position, and
 * holds no other removal.
 */
export type StreamsRemoved = EventOf<
  'StreamsRemoved',
  { readonly streams: readonly string[]; readonly position: string }
>;

export const REMOVAL_EVENTS: EventCatalogue<StreamsRemoved> = {
  StreamsRemoved: { version: 1, payload: true },
};

/** The log has another history than the views followed from. What belongs to no document of it is kept from now on. */
export type OrphansKept = EventOf<'OrphansKept', null>;
/** An operator has it removed. */
export type OrphansReleased = EventOf<'OrphansReleased', null>;
export type OrphanEvent = OrphansKept | OrphansReleased;

export const ORPHAN_EVENTS: EventCatalogue<OrphanEvent> = {
  OrphansKept: { version: 1, payload: false },
  OrphansReleased: { version: 1, payload: false },
};
