import type { ErasedEvent, EventCatalogue, EventOf, Recorded, Role } from '#platform/kernel';

export type KeyIssued = EventOf<
  'KeyIssued',
  { readonly id: string; readonly role: Role; readonly name: string; readonly hash: string }
>;
export type KeyRevoked = EventOf<'KeyRevoked', null>;
export type KeyEvent = KeyIssued | KeyRevoked;

/** `KeyRevoked` is read but not written yet. */
export const KEY_EVENTS: EventCatalogue<KeyEvent> = {
  KeyIssued: { version: 1, payload: true },
  KeyRevoked: { version: 1, payload: false },
};

/** An API key as it is stored, with the hash of its secret. Stream `key-<id>`. */
export type KeyState =
  | { readonly status: 'absent' }
  | ({ readonly status: 'issued'; readonly organization: string } & KeyIssued['payload']);

export const initialKey: KeyState = { status: 'absent' };

export function evolveKey(state: KeyState, event: Recorded<KeyEvent> | ErasedEvent): KeyState {
  switch (event.type) {
    case 'KeyIssued':
      return { status: 'issued', organization: event.organization, ...event.payload };
    case 'KeyRevoked':
      return initialKey;
    case 'erased':
      return state;
  }
}

export function decideIssue(key: KeyIssued['payload']): readonly [KeyIssued] {
  return [{ type: 'KeyIssued', payload: key }];
}
