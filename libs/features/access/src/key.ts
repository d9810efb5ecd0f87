import {
  type ErasedEvent,
  type EventCatalogue,
  type EventOf,
  foldWith,
  type OrganizationId,
  type Recorded,
  type Role,
  type TagPermission,
} from '#platform/kernel';

/** What a key may not do, in addition to what its role forbids. Without any of these it may do everything, for ever. */
export interface KeyLimits {
  /** It changes nothing. Of a key without tags of its own. */
  readonly permission?: 'read';
  /** The only tags of a scoped key. Absent: a full key. */
  readonly containerTags?: readonly TagPermission[];
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
  /** In place of the limit of the settings. */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number };
}

export type KeyIssued = EventOf<
  'KeyIssued',
  {
    readonly id: string;
    readonly role: Role;
    readonly name: string;
    readonly hash: string;
    /** The first characters of the secret, by which people tell their keys apart. Absent: they are not known. */
    readonly start?: string;
    readonly limits?: KeyLimits;
    /** The member whose key it is. Absent: it belongs to the organization. */
    readonly member?: string;
  }
>;
export type KeyChanged = EventOf<'KeyChanged', { readonly name?: string; readonly isEnabled?: boolean }>;
export type KeyRevoked = EventOf<'KeyRevoked', null>;
export type KeyEvent = KeyIssued | KeyChanged | KeyRevoked;

export const KEY_EVENTS: EventCatalogue<KeyEvent> = {
  KeyIssued: { version: 1, payload: true },
  KeyChanged: { version: 1, payload: true },
  KeyRevoked: { version: 1, payload: false },
};

/** An API key as it is stored, with the hash of its secret. Stream `key-<id>`. */
export interface IssuedKey {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly role: Role;
  /** The member whose key it is. Absent: it belongs to the organization. */
  readonly member?: string;
  readonly name: string;
  readonly hash: string;
  readonly start: string;
  readonly limits: KeyLimits;
  readonly isEnabled: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export type KeyState =
  | { readonly status: 'absent' }
  | { readonly status: 'issued'; readonly key: IssuedKey }
  | { readonly status: 'revoked'; readonly hash: string };

export const initialKey: KeyState = { status: 'absent' };

/** In place of the first characters of a secret that are not known: all keys begin with it. */
const START = 'sm_';

function evolveKey(state: KeyState, event: Recorded<KeyEvent> | ErasedEvent): KeyState {
  switch (event.type) {
    case 'KeyIssued': {
      const { start = START, limits = {}, ...payload } = event.payload;
      const organization = event.organization as OrganizationId;
      const key = { ...payload, start, limits, organization, isEnabled: true, createdAt: Date.parse(event.at) };
      return { status: 'issued', key };
    }
    case 'KeyChanged':
      return state.status === 'issued' ? { ...state, key: { ...state.key, ...event.payload } } : state;
    case 'KeyRevoked':
      return state.status === 'issued' ? { status: 'revoked', hash: state.key.hash } : state;
    case 'erased':
      return state;
  }
}

export const foldKey = foldWith(KEY_EVENTS, evolveKey);

export function decideIssue(key: KeyIssued['payload']): readonly [KeyIssued] {
  return [{ type: 'KeyIssued', payload: key }];
}

/** Changes what is different. */
export function decideChange(key: IssuedKey, { name, isEnabled }: KeyChanged['payload']): readonly KeyChanged[] {
  const payload = {
    ...(name !== undefined && name !== key.name && { name }),
    ...(isEnabled !== undefined && isEnabled !== key.isEnabled && { isEnabled }),
  };
  return Object.keys(payload).length === 0 ? [] : [{ type: 'KeyChanged', payload }];
}
