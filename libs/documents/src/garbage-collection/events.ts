import type { EventCatalogue, EventOf } from '#kernel';

/** Up to here every deletion has been finished, so that each is looked at once. */
export type ErasuresFinished = EventOf<'ErasuresFinished', { readonly position: string | null }>;
export type ErasureEvent = ErasuresFinished;

export const ERASURE_EVENTS: EventCatalogue<ErasureEvent> = {
  ErasuresFinished: { version: 1, payload: true },
};
