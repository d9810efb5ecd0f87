import { type IssuedKeys, kept, type MemberRights, type Members, principalOfMember } from '#features/access';
import { type Clock, contentHash, hashSecret, type Principal } from '#platform/kernel';
import { type CookieValue, cookieValue, isSeen, readCookieValue } from './cookie-value.ts';
import type { KnownSessions } from './known-sessions.ts';
import { isOpenedBy, type Session } from './session.ts';

/** Who makes a request with a cookie. */
export interface SignedIn {
  readonly principal: Principal;
  readonly session: Session;
  /** What the browser is to keep from now on. Null: what it has. */
  readonly renewed: string | null;
  /** The rights have changed since the cookie was given: it has to get another secret. */
  readonly isRotationDue: boolean;
}

export interface SessionAccessOptions {
  readonly sessions: Pick<KnownSessions, 'stateOf'>;
  readonly keys: Pick<IssuedKeys, 'principalOf' | 'organizations'>;
  readonly members: Pick<Members, 'rightsOf'>;
  readonly clock: Clock;
}

interface Known {
  /** Of which the principal was made: it stays the same object until something changes. */
  readonly basis: MemberRights | Principal;
  readonly principal: Principal;
}

/** Who is signed in. A session permits what its member or its key permits now, and ends with them. */
export class SessionAccess {
  readonly #options: SessionAccessOptions;
  readonly #known = new WeakMap<Session, Known>();

  constructor(options: SessionAccessOptions) {
    this.#options = options;
  }

  /** Null: the session is over, or there is none. @param cookie the value of the cookie */
  authenticate(cookie: string): SignedIn | null {
    const value = readCookieValue(cookie);
    const now = this.#options.clock.now();
    const opened = value === null ? null : this.#opened(value, now);
    if (value === null || opened === null) return null;
    const { session, secret, seen } = opened;
    const principal = this.principalOf(session);
    if (principal === null) return null;
    return {
      principal,
      session,
      renewed: secret === 'present' && seen === 'stale' ? cookieValue(session, value.secret, now) : null,
      isRotationDue: session.rights !== rightsHash(principal),
    };
  }

  /** Whether another process may know the cookie that this one does not: it was given lately. */
  mayBeNew(cookie: string): boolean {
    const value = readCookieValue(cookie);
    if (value === null) return false;
    const state = this.#options.sessions.stateOf(value.id);
    if (state.status !== 'open') return state.status === 'absent';
    return isOpenedBy(state.session, hashSecret(value.secret), this.#options.clock.now()) === null;
  }

  /** Whether a principal of a session still permits the same; those of a suspended organization do not. */
  isValid(principal: Principal): boolean {
    const state = this.#options.sessions.stateOf(principal.session ?? '');
    if (state.status !== 'open' || this.principalOf(state.session) !== principal) return false;
    return this.#options.keys.organizations.stateOf(principal.organization) === 'active';
  }

  /** Who makes requests in a session. Null: its member or key is none any more, or its organization is gone. */
  principalOf(session: Session): Principal | null {
    const { id, organization, member, key } = session;
    const { keys, members } = this.#options;
    if (keys.organizations.stateOf(organization) === 'gone') return null;
    const basis = key === null ? members.rightsOf(member ?? '') : keys.principalOf(key);
    if (basis === null) return null;
    const known = this.#known.get(session);
    if (known?.basis === basis) return known.principal;
    const permitted = 'keyId' in basis ? basis : principalOfMember(organization, member ?? '', basis);
    const principal = kept(Object.freeze({ ...permitted, session: id }), known?.principal);
    this.#known.set(session, { basis, principal });
    return principal;
  }

  /** The session of a cookie that has its secret and was seen lately enough; null: there is none. */
  #opened(value: CookieValue, now: number) {
    const state = this.#options.sessions.stateOf(value.id);
    if (state.status !== 'open') return null;
    const { session } = state;
    const secret = isOpenedBy(session, hashSecret(value.secret), now);
    const seen = secret === null ? null : isSeen(value, session, now);
    return secret === null || seen === null ? null : { session, secret, seen };
  }
}

/** What is stored of the rights for which a cookie is given. */
export const rightsHash = ({ role, tags, writableTags }: Principal): string =>
  contentHash('rights', JSON.stringify([role, tags, writableTags]));
