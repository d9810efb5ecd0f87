export { SESSION_EVENTS } from './events.ts';
export { KnownSessions } from './known-sessions.ts';
export { type Session, TOTAL_MS } from './session.ts';
export { SessionAccess, type SignedIn } from './session-access.ts';
export { type OpenedSession, SessionRepository } from './session-repository.ts';
export { SIGN_IN_DOMAINS, type SignInDomains } from './sign-in-domains.ts';
