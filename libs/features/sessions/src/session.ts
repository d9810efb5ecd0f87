import { type ErasedEvent, foldWith, type OrganizationId, type Recorded } from '#platform/kernel';
import { SESSION_EVENTS, type SessionEnded, type SessionEvent, type SessionRotated, type SignInWay } from './events.ts';

/** A session ends when no request came for so long. Milliseconds. */
export const IDLE_MS = 12 * 3_600_000;
/** And so long after the person signed in at the latest. Milliseconds. */
export const TOTAL_MS = 30 * 86_400_000;
/** Requests that were on the way when the cookie got another secret are accepted for so long. Milliseconds. */
const FORMER_MS = 60_000;

export interface Session {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly way: SignInWay;
  readonly member: string | null;
  readonly key: string | null;
  readonly hash: string;
  /** Of the secret before. Null: there was none. */
  readonly former: { readonly hash: string; readonly until: number } | null;
  readonly seal: string;
  readonly rights: string;
  /** Milliseconds since the Unix epoch. */
  readonly signedInAt: number;
}

export type SessionState =
  | { readonly status: 'absent' }
  | { readonly status: 'open'; readonly session: Session }
  /** `at`: when. Milliseconds since the Unix epoch. */
  | { readonly status: 'ended'; readonly at: number };

export const absent: SessionState = { status: 'absent' };

function evolve(state: SessionState, event: Recorded<SessionEvent> | ErasedEvent): SessionState {
  switch (event.type) {
    case 'SessionStarted':
      return {
        status: 'open',
        session: { ...event.payload, organization: event.organization as OrganizationId, former: null },
      };
    case 'SessionRotated': {
      if (state.status !== 'open') return state;
      const former = { hash: state.session.hash, until: Date.parse(event.at) + FORMER_MS };
      return { status: 'open', session: { ...state.session, ...event.payload, former } };
    }
    case 'SessionEnded':
      return { status: 'ended', at: Date.parse(event.at) };
    case 'erased':
      return state;
  }
}

export const foldSession = foldWith(SESSION_EVENTS, evolve);

/** Once for each change of the rights, however many requests notice it. */
export function decideRotate(state: SessionState, payload: SessionRotated['payload']): readonly SessionRotated[] {
  const isDue = state.status === 'open' && state.session.rights !== payload.rights;
  return isDue ? [{ type: 'SessionRotated', payload }] : [];
}

export const decideEnd = (state: SessionState): readonly SessionEnded[] =>
  state.status === 'open' ? [{ type: 'SessionEnded', payload: null }] : [];

/** Whether nobody can have a cookie of the session any more that was not refused before. @param now milliseconds since the Unix epoch */
export function isOver(state: SessionState, now: number): boolean {
  if (state.status === 'absent') return true;
  return now - (state.status === 'open' ? state.session.signedInAt : state.at) >= TOTAL_MS;
}

/** Whether the secret with this hash opens the session. @param now milliseconds since the Unix epoch */
export function isOpenedBy(session: Session, hash: string, now: number): 'present' | 'former' | null {
  if (now - session.signedInAt >= TOTAL_MS) return null;
  if (session.hash === hash) return 'present';
  return session.former !== null && session.former.hash === hash && now < session.former.until ? 'former' : null;
}
