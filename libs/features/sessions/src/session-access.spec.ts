import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IssuedKeys, type MemberRights, principalOfMember } from '#features/access';
import type { OrganizationId, Principal } from '#platform/kernel';
import { createCommandHandler, createFoldCache, SqliteEventStore, systemCause } from '#ports/event-store';
import { readWholeLog } from '../../../ports/event-store/src/testing.ts';
import { issuedKey } from '../../access/src/testing.ts';
import { KnownSessions } from './known-sessions.ts';
import { SessionAccess } from './session-access.ts';
import { SessionRepository } from './session-repository.ts';

const organization = 'acme' as OrganizationId;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const cause = systemCause();
const clock = { time: 0, now: () => clock.time };

let folder: string;
let store: SqliteEventStore;
beforeEach(async () => {
  clock.time = Date.parse('2026-01-02T03:04:05.678Z');
  folder = await mkdtemp(join(tmpdir(), 'mneme-sessions-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** A process on the log. */
function open() {
  const sessions = new KnownSessions(clock);
  const members = new Map<string, MemberRights>([['m1', { role: 'admin', containerTags: null }]]);
  const keys = new IssuedKeys([issuedKey({ hash: 'k' })], clock);
  const rightsOf = (id: string) => members.get(id) ?? null;
  const handler = createCommandHandler({ store, clock, cache: createFoldCache({ characters: 100_000 }) });
  return {
    ...{ sessions, members, keys },
    access: new SessionAccess({ sessions, keys, members: { rightsOf }, clock }),
    repository: new SessionRepository(handler, sessions, clock),
    follow: async () => {
      for (const event of await readWholeLog(store)) sessions.apply(event);
    },
  };
}

const ada: Principal = principalOfMember(organization, 'm1', { role: 'admin', containerTags: null });
const start = ({ repository }: ReturnType<typeof open>, signedInAt = clock.time) =>
  repository.start({ way: 'oidc', principal: ada, signedInAt }, cause);

test('a session that is used goes on until thirty days after the sign-in', async () => {
  const process = open();
  let { cookie } = await start(process);
  const signedInAt = clock.time;
  const kept: string[] = [];
  for (;;) {
    clock.time += 11 * HOUR_MS;
    const signedIn = process.access.authenticate(cookie);
    if (signedIn === null) break;
    expect(signedIn.principal).toMatchObject({ organization, keyId: 'm1', member: 'm1', role: 'admin' });
    cookie = signedIn.renewed as string;
    kept.push(cookie);
  }
  expect(clock.time - signedInAt).toBeGreaterThanOrEqual(30 * DAY_MS);
  expect(clock.time - signedInAt).toBeLessThan(30 * DAY_MS + 11 * HOUR_MS);
  expect(new Set(kept).size).toBe(kept.length);
});

test('a session that is not used ends after twelve hours', async () => {
  const process = open();
  const { cookie } = await start(process);
  expect(process.access.authenticate(cookie)?.renewed).toBeNull();
  // Seen to the minute.
  clock.time += 12 * HOUR_MS - 60_000;
  expect(process.access.authenticate(cookie)?.renewed).not.toBeNull();
  clock.time += 60_000;
  expect(process.access.authenticate(cookie)).toBeNull();
});

test.each([
  ['another id', (parts: string[]) => ['other', ...parts.slice(1)]],
  ['another secret', ([id, , ...rest]: string[]) => [id, 'x'.repeat(43), ...rest]],
  ['a later minute', ([id, secret, minute, signature]: string[]) => [id, secret, `${minute}0`, signature]],
  ['another signature', (parts: string[]) => [...parts.slice(0, 3), 'x'.repeat(43)]],
  ['something else', () => ['nothing']],
])('a cookie with %s is refused', async (_, changed) => {
  const process = open();
  const { cookie } = await start(process);
  expect(process.access.authenticate(changed(cookie.split('.')).join('.'))).toBeNull();
});

test('what the member may do now counts, and the cookie is to be replaced', async () => {
  const process = open();
  const { cookie } = await start(process);
  const before = process.access.authenticate(cookie);
  expect(before?.isRotationDue).toBe(false);
  expect(process.access.isValid(before?.principal as Principal)).toBe(true);
  // The same rights of a member who has changed otherwise.
  process.members.set('m1', { role: 'admin', containerTags: null });
  expect(process.access.authenticate(cookie)?.principal).toBe(before?.principal);
  process.members.set('m1', { role: 'member', containerTags: [{ containerTag: 'a', permission: 'read' }] });
  const after = process.access.authenticate(cookie);
  expect(after).toMatchObject({ isRotationDue: true, principal: { role: 'member', tags: ['a'], writableTags: [] } });
  expect(process.access.isValid(before?.principal as Principal)).toBe(false);

  const rotate = () => process.repository.rotate(after?.session as never, after?.principal as Principal, cause);
  const [one, other] = await Promise.all([rotate(), rotate()]);
  expect([one, other].filter((opened) => opened !== null)).toHaveLength(1);
  const rotated = (one ?? other)?.cookie as string;
  expect(process.access.authenticate(rotated)).toMatchObject({ isRotationDue: false, renewed: null });
  clock.time += 59_000;
  expect(process.access.authenticate(cookie)).toMatchObject({ isRotationDue: false, renewed: null });
  clock.time += 1_000;
  expect(process.access.authenticate(cookie)).toBeNull();
  process.members.delete('m1');
  expect(process.access.authenticate(rotated)).toBeNull();
});

test('a session of a key permits what the key permits, until it expires', async () => {
  const process = open();
  const key = issuedKey({ hash: 'k', limits: { permission: 'read', expiresAt: clock.time + HOUR_MS } });
  process.keys.set(key.id, { status: 'issued', key }, 1);
  const principal = process.keys.principalOf(key.id) as Principal;
  const { cookie } = await process.repository.start({ way: 'key', principal, signedInAt: clock.time }, cause);
  expect(process.access.authenticate(cookie)?.principal).toMatchObject({ keyId: key.id, writableTags: [] });
  clock.time += HOUR_MS;
  expect(process.access.authenticate(cookie)).toBeNull();
});

test('what other processes do is taken over from the log, and a cookie may be newer than what is known', async () => {
  const [one, other] = [open(), open()];
  const { cookie, session } = await start(one);
  expect([other.access.authenticate(cookie), other.access.mayBeNew(cookie)]).toEqual([null, true]);
  await other.follow();
  expect(other.access.authenticate(cookie)?.principal.session).toBe(session.id);
  const changed: MemberRights = { role: 'member', containerTags: null };
  for (const { members } of [one, other]) members.set('m1', changed);
  const signedIn = other.access.authenticate(cookie);
  const rotated = await other.repository.rotate(session, signedIn?.principal as Principal, cause);
  expect(one.access.mayBeNew(rotated?.cookie as string)).toBe(true);
  await one.follow();
  expect(one.access.authenticate(rotated?.cookie as string)).not.toBeNull();
  await one.repository.end(session, cause);
  await other.follow();
  expect(other.access.authenticate(rotated?.cookie as string)).toBeNull();
  expect([other.access.mayBeNew(rotated?.cookie as string), other.access.mayBeNew('nothing')]).toEqual([false, false]);
});

test('sessions that are over leave the memory', async () => {
  const process = open();
  await start(process);
  await process.repository.end((await start(process)).session, cause);
  await process.follow();
  expect(process.sessions.size).toBe(2);
  clock.time += 30 * DAY_MS;
  const { cookie } = await start(process);
  await process.follow();
  expect(process.sessions.size).toBe(1);
  expect(process.access.authenticate(cookie)).not.toBeNull();
  const late = open();
  await late.follow();
  expect(late.sessions.size).toBe(1);
});
