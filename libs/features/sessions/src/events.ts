import type { EventCatalogue, EventOf } from '#platform/kernel';

/** How a session began. Only an account of a provider says who the person is in other organizations. */
export type SignInWay = 'oidc' | 'invitation' | 'key';

/** A browser gets a cookie with which it makes requests. */
export type SessionStarted = EventOf<
  'SessionStarted',
  {
    readonly id: string;
    readonly way: SignInWay;
    /** The member. Null: the session is that of a key. */
    readonly member: string | null;
    /** The key from which the session was made. Null: it was made from none. */
    readonly key: string | null;
    /** Of the secret in the cookie, which is not stored. */
    readonly hash: string;
    /** With it the server signs when the cookie was last seen. */
    readonly seal: string;
    /** Hash of the rights for which the cookie was given. */
    readonly rights: string;
    /** When the person signed in; a switch of the organization does not change it. Milliseconds since the Unix epoch. */
    readonly signedInAt: number;
  }
>;

/** The rights have changed, so the cookie has another secret. */
export type SessionRotated = EventOf<'SessionRotated', { readonly hash: string; readonly rights: string }>;

/** Somebody signed out, signed in again in the same browser, or switched to another organization. */
export type SessionEnded = EventOf<'SessionEnded', null>;

export type SessionEvent = SessionStarted | SessionRotated | SessionEnded;

/** Stream `session-<id>`, of one organization. */
export const SESSION_EVENTS: EventCatalogue<SessionEvent> = {
  SessionStarted: { version: 1, payload: true },
  SessionRotated: { version: 1, payload: true },
  SessionEnded: { version: 1, payload: false },
};
