import { type Clock, hashSecret, newId, type OrganizationId, ok, type Principal, randomSecret } from '#platform/kernel';
import { type Cause, type CommandHandler, type Model, record } from '#ports/event-store';
import { cookieValue } from './cookie-value.ts';
import { SESSION_EVENTS, type SessionEvent, type SignInWay } from './events.ts';
import type { KnownSessions } from './known-sessions.ts';
import { absent, decideEnd, decideRotate, foldSession, type Session, type SessionState } from './session.ts';
import { rightsHash } from './session-access.ts';
import { sessionStream } from './streams.ts';

const MODEL: Model<SessionState> = { name: 'session', version: 1, initialState: absent, evolve: foldSession };

/** Whose session begins, and how. */
export interface SessionWish {
  readonly way: SignInWay;
  /** Who will make requests in it. */
  readonly principal: Principal;
  /** When the person signed in. Milliseconds since the Unix epoch. */
  readonly signedInAt: number;
}

/** A session with the cookie that opens it. */
export interface OpenedSession {
  readonly session: Session;
  /** The value of the cookie, for the browser alone. */
  readonly cookie: string;
}

/** Starts, rotates and ends sessions. It counts in this process before the call resolves. */
export class SessionRepository {
  readonly #handler: CommandHandler;
  readonly #sessions: KnownSessions;
  readonly #clock: Clock;

  constructor(handler: CommandHandler, sessions: KnownSessions, clock: Clock) {
    this.#handler = handler;
    this.#sessions = sessions;
    this.#clock = clock;
  }

  async start({ way, principal, signedInAt }: SessionWish, cause: Cause): Promise<OpenedSession> {
    const { organization, keyId, member = null } = principal;
    const [id, secret] = [newId(), randomSecret()];
    const of = way === 'key' ? { member: null, key: keyId } : { member, key: null };
    const given = { hash: hashSecret(secret), seal: randomSecret(), rights: rightsHash(principal) };
    const payload = { id, way, ...of, ...given, signedInAt };
    const state = await this.#execute(organization, cause, id, () => [{ type: 'SessionStarted', payload }]);
    return this.#opened(state, secret);
  }

  /** Gives the cookie another secret. Null: another request has done it already, or the session has ended. */
  async rotate({ id, organization }: Session, principal: Principal, cause: Cause): Promise<OpenedSession | null> {
    const secret = randomSecret();
    const hash = hashSecret(secret);
    const payload = { hash, rights: rightsHash(principal) };
    const state = await this.#execute(organization, cause, id, (before) => decideRotate(before, payload));
    return state.status === 'open' && state.session.hash === hash ? this.#opened(state, secret) : null;
  }

  async end({ id, organization }: Pick<Session, 'id' | 'organization'>, cause: Cause): Promise<void> {
    await this.#execute(organization, cause, id, decideEnd);
  }

  async #execute(
    organization: OrganizationId,
    cause: Cause,
    id: string,
    decide: (state: SessionState) => readonly SessionEvent[],
  ): Promise<SessionState> {
    const done = await this.#handler.execute<SessionState, never>({
      ...{ stream: sessionStream(id), model: MODEL },
      decide: (state, _revision, now) =>
        ok(record(SESSION_EVENTS, decide(state), { organization, cause, tags: [], now })),
    });
    if (!done.ok) throw done.error;
    const { state, revision } = done.value;
    if (revision !== 'no-stream') this.#sessions.set(id, state, revision);
    return state;
  }

  #opened(state: SessionState, secret: string): OpenedSession {
    if (state.status !== 'open') throw new Error('the session is not open');
    return { session: state.session, cookie: cookieValue(state.session, secret, this.#clock.now()) };
  }
}
