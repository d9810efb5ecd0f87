import { contentHash, type ErasedEvent, type EventCatalogue, type EventOf, type Recorded } from '#platform/kernel';

/** A question in another language than English was asked in a container. The only event of its stream, which says which one. */
export type AskedInOtherLanguage = EventOf<'AskedInOtherLanguage', null>;

export const ASKED_EVENTS: EventCatalogue<AskedInOtherLanguage> = {
  AskedInOtherLanguage: { version: 1, payload: false },
};

/** Category of the streams. */
export const ASKED_CATEGORY = 'asked';

/** @param tag null: all documents of the organization */
export const askedStream = (organization: string, tag: string | null): string =>
  `${ASKED_CATEGORY}-${tag === null ? contentHash(organization) : contentHash(organization, tag)}`;

/** Whether it was recorded. */
export const evolveAsked = (wasAsked: boolean, event: Recorded<AskedInOtherLanguage> | ErasedEvent): boolean =>
  wasAsked || event.type === 'AskedInOtherLanguage';

export const decideAsked = (wasAsked: boolean): readonly AskedInOtherLanguage[] =>
  wasAsked ? [] : [{ type: 'AskedInOtherLanguage', payload: null }];
