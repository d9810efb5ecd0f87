import type { EventCatalogue, EventOf } from '#platform/kernel';

/**
 * Documents have lost content, which is recorded in them. `stage`: `views`, `stages` or `reads`. `sizes.documents`: how many. No
 * payload, so that a lost key cannot make the event unreadable.
 */
export type ContentLossCounted = EventOf<'ContentLossCounted', null>;
/** So many documents lost content in a short time that it is not recorded in them any more. `stage` and `sizes`: as above. */
export type ContentLossSuspended = EventOf<'ContentLossSuspended', null>;
/** An operator accepts the loss: for a while it is recorded without limit. */
export type ContentLossAccepted = EventOf<'ContentLossAccepted', null>;
/** The content is back. */
export type ContentLossEnded = EventOf<'ContentLossEnded', null>;
export type ContentLossEvent = ContentLossCounted | ContentLossSuspended | ContentLossAccepted | ContentLossEnded;

export const CONTENT_LOSS_EVENTS: EventCatalogue<ContentLossEvent> = {
  ContentLossCounted: { version: 1, payload: false },
  ContentLossSuspended: { version: 1, payload: false },
  ContentLossAccepted: { version: 1, payload: false },
  ContentLossEnded: { version: 1, payload: false },
};
