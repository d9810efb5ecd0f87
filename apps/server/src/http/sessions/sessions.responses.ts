import { type Session, TOTAL_MS } from '#features/sessions';
import { isoTime } from '#platform/kernel';
import type { Timestamp } from '../openapi/scalars.ts';

/** Answers about sessions. The classes are types only; none is instantiated. */

/** A session of a browser. */
export class SessionRecord {
  /** How it began. */
  readonly way!: 'oidc' | 'invitation' | 'key';
  /** When the person signed in. */
  readonly signedInAt!: Timestamp;
  /** It ends then at the latest, and after twelve hours without a request. */
  readonly expiresAt!: Timestamp;
}

/** A new session. Its cookie is in the header `Set-Cookie`. */
export class StartedSession {
  /** The organization that owns all data of the session. */
  readonly org!: { readonly id: string };
  readonly session!: SessionRecord;
}

export const sessionRecord = ({ way, signedInAt }: Session): SessionRecord => ({
  way,
  signedInAt: isoTime(signedInAt),
  expiresAt: isoTime(signedInAt + TOTAL_MS),
});

export const startedSession = (session: Session): StartedSession => ({
  org: { id: session.organization },
  session: sessionRecord(session),
});
