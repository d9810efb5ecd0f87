import type { EventCatalogue, EventOf } from '#kernel';

/** Up to here every deletion has been finished, so that each is looked at once. */
export type ErasuresFinished = EventOf<'ErasuresFinished', { readonly position: string | null }>;
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
