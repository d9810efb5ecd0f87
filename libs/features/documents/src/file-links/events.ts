import type { ErasedEvent, EventCatalogue, EventOf, Recorded } from '#platform/kernel';

/** The key that signs links to files of an organization. `key`: 64 hexadecimal digits. */
export type LinkKeyCreated = EventOf<'LinkKeyCreated', { readonly key: string }>;

export const LINK_EVENTS: EventCatalogue<LinkKeyCreated> = {
  LinkKeyCreated: { version: 1, payload: true },
};

/** Null: no link was made yet. */
export interface LinkKey {
  readonly key: string | null;
}

export const initialLinkKey: LinkKey = { key: null };

/** The first key stays, so that links of all processes are valid. */
export function evolveLinkKey(state: LinkKey, event: Recorded<LinkKeyCreated> | ErasedEvent): LinkKey {
  if (event.type === 'erased') return initialLinkKey;
  return state.key === null ? { key: event.payload.key } : state;
}
