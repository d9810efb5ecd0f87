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

/** The tokens of a grant, of which the key has the hash of the access token. */
export interface GrantTokens {
  /** The access token is refused then. Milliseconds since the Unix epoch. */
  readonly accessUntil: number;
  /** Of the refresh token, which is not stored. */
  readonly refreshHash: string;
  /** The grant ends then unless it is renewed. Milliseconds since the Unix epoch. */
  readonly refreshUntil: number;
}

/** An application that a person has connected. */
export interface KeyClient {
  /** Address of its metadata, or id of its registration. */
  readonly id: string;
  readonly name: string;
}

/** What makes the key of an application: its secret is an access token, which a refresh token renews. */
export interface Grant extends GrantTokens {
  readonly client: KeyClient;
  /** The refresh token before, and until when its use is a repetition. Null: there was none. */
  readonly former: { readonly refreshHash: string; readonly until: number } | null;
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
    /** The key whose session has agreed to a grant: it permits no more than that key, and ends with it. */
    readonly parent?: string;
    /** Absent: the key was made for no application. */
    readonly grant?: GrantTokens & { readonly client: KeyClient };
  }
>;
/** An application has exchanged its refresh token: it has other tokens. */
export type KeyRenewed = EventOf<
  'KeyRenewed',
  {
    readonly hash: string;
    readonly start: string;
    readonly accessUntil: number;
    readonly refreshHash: string;
    readonly refreshUntil: number;
  }
>;
export type KeyChanged = EventOf<'KeyChanged', { readonly name?: string; readonly isEnabled?: boolean }>;
export type KeyRevoked = EventOf<'KeyRevoked', null>;
export type KeyEvent = KeyIssued | KeyRenewed | KeyChanged | KeyRevoked;

export const KEY_EVENTS: EventCatalogue<KeyEvent> = {
  KeyIssued: { version: 1, payload: true },
  KeyRenewed: { version: 1, payload: true },
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
  /** The key whose session has agreed to the grant. Absent: it is no grant, or that of a member. */
  readonly parent?: string;
  /** Absent: the key was made for no application. */
  readonly grant?: Grant;
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
/** An answer that is lost can be asked for again for so long. Milliseconds. */
const REPEATED_MS = 60_000;

function evolveKey(state: KeyState, event: Recorded<KeyEvent> | ErasedEvent): KeyState {
  switch (event.type) {
    case 'KeyIssued': {
      const { start = START, limits = {}, grant, ...payload } = event.payload;
      const organization = event.organization as OrganizationId;
      const key = { ...payload, start, limits, organization, isEnabled: true, createdAt: Date.parse(event.at) };
      return { status: 'issued', key: grant === undefined ? key : { ...key, grant: { ...grant, former: null } } };
    }
    case 'KeyRenewed': {
      if (state.status !== 'issued' || state.key.grant === undefined) return state;
      const { hash, start, ...tokens } = event.payload;
      const { client, refreshHash } = state.key.grant;
      const former = { refreshHash, until: Date.parse(event.at) + REPEATED_MS };
      return { status: 'issued', key: { ...state.key, hash, start, grant: { client, ...tokens, former } } };
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

/** A key for an application. What led to it counts once: a second time, the key is revoked. */
export function decideGrant(state: KeyState, key: KeyIssued['payload']): readonly KeyEvent[] {
  if (state.status === 'absent') return decideIssue(key);
  // The same tokens: the append of this command was durable although its answer was lost.
  return state.status === 'issued' && state.key.hash === key.hash ? [] : decideRevoke(state);
}

export const decideRevoke = (state: KeyState): readonly KeyRevoked[] =>
  state.status === 'issued' ? [{ type: 'KeyRevoked', payload: null }] : [];

/** A refresh token that was presented, and the tokens that follow from it. */
export interface Renewal {
  readonly presentedHash: string;
  readonly next: KeyRenewed['payload'];
}

/**
 * A refresh token of the grant is exchanged. One that was exchanged before is in the hands of two, so the grant ends; unless it
 * is repeated within a minute, which gets the tokens that it got before.
 * @param now milliseconds since the Unix epoch
 */
export function decideRenew(state: KeyState, { presentedHash, next }: Renewal, now: number): readonly KeyEvent[] {
  if (state.status !== 'issued' || state.key.grant === undefined || !state.key.isEnabled) return [];
  const { refreshHash, refreshUntil, former } = state.key.grant;
  if (now >= refreshUntil) return [];
  if (presentedHash === refreshHash) return [{ type: 'KeyRenewed', payload: next }];
  const isRepeated = former !== null && presentedHash === former.refreshHash && now < former.until;
  return isRepeated ? [] : decideRevoke(state);
}
