import type { OrganizationId } from '#platform/kernel';
import type { SessionEvent } from './events.ts';
import {
  absent,
  decideEnd,
  decideRotate,
  foldSession,
  isOpenedBy,
  type Session,
  type SessionState,
} from './session.ts';

const AT = '2026-01-02T03:04:05.678Z';
const DAY_MS = 86_400_000;
const signedInAt = Date.parse(AT);
const started: SessionEvent = {
  type: 'SessionStarted',
  payload: { id: 's1', way: 'oidc', member: 'm1', key: null, hash: 'h1', seal: 'seal', rights: 'r1', signedInAt },
};
const rotation = (hash: string, rights: string) => ({ type: 'SessionRotated', payload: { hash, rights } }) as const;
const ended: SessionEvent = { type: 'SessionEnded', payload: null };

const given = (...events: readonly SessionEvent[]): SessionState =>
  events.reduce<SessionState>((state, { type, payload }) => {
    const envelope = { at: AT, organization: 'acme' as OrganizationId, tags: [], correlationId: 'c', type };
    return foldSession(state, { envelope, payload: payload as never });
  }, absent);
const open = (...events: readonly SessionEvent[]): Session => {
  const state = given(started, ...events);
  if (state.status !== 'open') throw new Error(state.status);
  return state.session;
};

test('given a session, when the rights have changed, then it gets another secret, once', () => {
  const payload = { hash: 'h2', rights: 'r2' };
  expect(decideRotate(given(started), payload)).toEqual([rotation('h2', 'r2')]);
  expect(decideRotate(given(started, rotation('h2', 'r2')), { hash: 'h3', rights: 'r2' })).toEqual([]);
  expect(decideRotate(given(started, ended), payload)).toEqual([]);
  expect(decideRotate(absent, payload)).toEqual([]);
});

test('given a session, when it ends, then it has ended, once', () => {
  expect(decideEnd(given(started))).toEqual([ended]);
  expect(decideEnd(given(started, ended))).toEqual([]);
  expect(decideEnd(absent)).toEqual([]);
  expect(given(started, ended, rotation('h2', 'r2'))).toEqual({ status: 'ended', at: signedInAt });
});

test('a former secret opens it for a minute, the present one until thirty days after the sign-in', () => {
  const session = open(rotation('h2', 'r2'));
  const opens = (hash: string, after: number) => isOpenedBy(session, hash, signedInAt + after);
  expect([opens('h1', 59_999), opens('h1', 60_000)]).toEqual(['former', null]);
  expect([opens('h2', 30 * DAY_MS - 1), opens('h2', 30 * DAY_MS)]).toEqual(['present', null]);
  expect(opens('h3', 0)).toBeNull();
  // Only the last one.
  const twice = open(rotation('h2', 'r2'), rotation('h3', 'r3'));
  expect(isOpenedBy(twice, 'h1', signedInAt)).toBeNull();
});
