import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrganizationId, Role } from '#platform/kernel';
import { createCommandHandler, createFoldCache, SqliteEventStore, systemCause } from '#ports/event-store';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { readWholeLog } from '../../../ports/event-store/src/testing.ts';
import { expireInvitations } from './expire-invitations.ts';
import { Team } from './team.ts';
import { TeamRepository } from './team-repository.ts';
import { hashToken } from './tokens.ts';

const organization = 'acme' as OrganizationId;
const other = 'other' as OrganizationId;
const DAY_MS = 86_400_000;
const cause = systemCause();
const owner = { organization, role: 'owner' } as const;
const clock = { time: 0, now: () => clock.time };

let folder: string;
let store: SqliteEventStore;
beforeEach(async () => {
  clock.time = 1_000;
  folder = await mkdtemp(join(tmpdir(), 'mneme-team-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** A process on the log. */
function open() {
  const team = new Team(clock);
  const handler = createCommandHandler({ store, clock, cache: createFoldCache({ characters: 100_000 }) });
  const repository = new TeamRepository(handler, team);
  return {
    team,
    repository,
    invite: async (email: string, role: Role = 'member', by = owner) => {
      const invited = await repository.invite(by, cause, { email, role, containerTags: null }, clock.now());
      if (!invited.ok) throw new Error(invited.error);
      return invited.value;
    },
    /** Takes over what other processes have recorded. */
    follow: async () => {
      for (const event of await readWholeLog(store)) team.apply(event);
    },
  };
}

async function joinAs(role: Role, process = open(), email = `${role}@example.com`) {
  const { invitation } = await process.invite(email, role);
  const joined = await process.repository.join(invitation, cause, { name: 'Ada', identity: null });
  if (!joined.ok) throw new Error(joined.error);
  return joined.value;
}

const texts = async () =>
  JSON.stringify((await readWholeLog(store)).map(({ envelope, payload }) => ({ envelope, payload })));

test('the token is valid for seven days, and stands nowhere in the log', async () => {
  const { team, invite } = open();
  const { invitation, token } = await invite('ada@example.com');
  expect(await texts()).not.toContain(token);
  clock.time += 7 * DAY_MS - 1;
  expect(team.invitation(hashToken(token))).toEqual(invitation);
  expect(team.invitations(organization)).toEqual([invitation]);
  clock.time += 1;
  expect(team.invitation(hashToken(token))).toBeNull();
  expect(team.invitations(organization)).toEqual([]);
});

test('an invitation is accepted once, also if two processes try at the same time', async () => {
  const [one, two] = [open(), open()];
  const { invitation } = await one.invite('ada@example.com');
  await two.follow();
  const both = await Promise.all(
    [one, two].map(({ repository }) => repository.join(invitation, cause, { name: null, identity: null })),
  );
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
});

test('an invitation of the same address replaces the former one, however the address is written', async () => {
  const { team, invite } = open();
  const first = await invite('ada@example.com');
  const second = await invite('Ada@Example.com');
  expect(team.invitation(hashToken(first.token))).toBeNull();
  expect(team.invitations(organization)).toEqual([second.invitation]);
  await invite('ada@example.com', 'member', { ...owner, organization: other } as never);
  expect(team.invitations(organization)).toEqual([second.invitation]);
});

test('an invitation above the role of the caller is not replaced', async () => {
  const { repository, team, invite } = open();
  const { invitation } = await invite('ada@example.com', 'owner');
  const wish = { email: 'ada@example.com', role: 'member', containerTags: null } as const;
  const refused = await repository.invite({ ...owner, role: 'admin' }, cause, wish, clock.now());
  expect(refused).toEqual({ ok: false, error: 'member_above_role' });
  expect(team.invitations(organization)).toEqual([invitation]);
});

test('members are not invited again, and do not join again', async () => {
  const { team, invite, repository } = open();
  const { invitation } = await invite('ada@example.com');
  await repository.join(invitation, cause, { name: null, identity: null });
  const wish = { email: 'ADA@example.com', role: 'member', containerTags: null } as const;
  expect(await repository.invite(owner, cause, wish, clock.now())).toEqual({ ok: false, error: 'already_member' });
  expect(team.members(organization)).toHaveLength(1);
  expect(team.members(other)).toEqual([]);
});

test.each<[string, (process: ReturnType<typeof open>) => Promise<unknown>]>([
  [
    'who is removed',
    async ({ repository, invite }) => {
      const { invitation } = await invite('ada@example.com');
      await repository.join(invitation, cause, { name: 'Ada Lovelace', identity: null });
      await repository.remove(owner, cause, invitation.id);
    },
  ],
  [
    'whose invitation is withdrawn',
    async ({ repository, invite }) => {
      const { invitation } = await invite('ada@example.com');
      await repository.mailed(invitation, cause, 'ada@example.com is unknown');
      await repository.withdraw(owner, cause, invitation.id);
    },
  ],
  [
    'whose invitation is replaced',
    async ({ invite }) => {
      await invite('ada@example.com');
      const { invitation } = await invite('ada@example.com');
      await open().repository.withdraw(owner, cause, invitation.id);
    },
  ],
])('of a person %s, name and address are erased', async (_, act) => {
  await act(open());
  expect(await texts()).toContain('MemberInvited');
  expect(await texts()).not.toMatch(/ada@|Lovelace/i);
});

test('the address of an invitation that is over is erased, and no other', async () => {
  const { invite, repository } = open();
  await invite('ada@example.com');
  clock.time += DAY_MS;
  await invite('grace@example.com');
  const stopping = new AbortController();
  const running = expireInvitations({ store, team: repository, clock, signal: stopping.signal, every: 5 });
  clock.time += 6 * DAY_MS;
  try {
    await until(async () => !(await texts()).includes('ada@'));
  } finally {
    stopping.abort();
    await running;
  }
  expect(await texts()).toContain('grace@example.com');
  expect((await readWholeLog(store)).filter(({ envelope }) => envelope.type === 'InvitationExpired')).toHaveLength(1);
});

test('two owners that two processes remove at the same time: one stays', async () => {
  const [one, two] = [open(), open()];
  const a = await joinAs('owner', one, 'a@example.com');
  const b = await joinAs('owner', two, 'b@example.com');
  const results = await Promise.all([
    one.repository.remove(owner, cause, b.id),
    two.repository.change(owner, cause, a.id, { role: 'member' }),
  ]);
  expect(results.map((result) => (result.ok ? 'done' : result.error)).sort()).toEqual(['done', 'last_owner']);
});

test('the last owner stays until there is another; without owners among the members, nothing is protected', async () => {
  const process = open();
  const { repository } = process;
  const admin = await joinAs('admin', process);
  expect(await repository.change(owner, cause, admin.id, { role: 'member' })).toMatchObject({ ok: true });
  const first = await joinAs('owner', process);
  const lastOwner = { ok: false, error: 'last_owner' };
  expect(await repository.change(owner, cause, first.id, { role: 'admin' })).toEqual(lastOwner);
  expect(await repository.remove(owner, cause, first.id)).toEqual(lastOwner);
  expect(await repository.change(owner, cause, admin.id, { role: 'owner' })).toMatchObject({ ok: true });
  expect(await repository.remove(owner, cause, first.id)).toMatchObject({ ok: true });
  expect(await repository.remove(owner, cause, admin.id)).toEqual(lastOwner);
});

test('a state that comes later than that of a newer event changes nothing', () => {
  const team = new Team(clock);
  const member = {
    id: 'm1',
    organization,
    email: 'a@example.com',
    name: null,
    role: 'owner',
    containerTags: null,
    identity: null,
  } as const;
  team.set('m1', { status: 'ended' }, 3);
  team.set('m1', { status: 'joined', member: { ...member, createdAt: 0 } }, 2);
  expect(team.rightsOf('m1')).toBeNull();
});

test('what other processes do is taken over from the log', async () => {
  const [one, two] = [open(), open()];
  const member = await joinAs('member', one);
  await two.follow();
  expect(two.team.rightsOf(member.id)).toMatchObject({ role: 'member', containerTags: null });
  await one.repository.change(owner, cause, member.id, { role: 'admin' });
  await two.follow();
  expect(two.team.memberOf({ member: member.id })).toMatchObject({ role: 'admin', name: 'Ada' });
  await one.repository.remove(owner, cause, member.id);
  await two.follow();
  expect(two.team.rightsOf(member.id)).toBeNull();
  expect(two.team.memberOf({})).toBeNull();
});

test('an account leads to the memberships of its person in all organizations, until they end', async () => {
  const process = open();
  const identity = { issuer: 'https://id.example', subject: 'ada' };
  const first = await joinAs('owner', process);
  await process.repository.identify(first, cause, identity);
  const admitted = { organization: other, email: 'ada@example.com', name: null, identity };
  await process.repository.admit('m2', cause, admitted);
  const ids = () => process.team.identifiedBy(identity).map(({ id }) => id);
  expect(ids().sort()).toEqual([first.id, 'm2'].sort());
  expect(process.team.identifiedBy({ ...identity, issuer: 'https://other.example' })).toEqual([]);
  expect(await process.repository.admit('m3', cause, admitted)).toEqual({ ok: false, error: 'already_member' });
  const leaving = await process.repository.remove({ organization: other, role: 'owner' }, cause, 'm2');
  expect(leaving.ok).toBe(true);
  expect(ids()).toEqual([first.id]);
  // Nothing of the account stays in the log, either.
  expect(JSON.stringify((await store.readStream('member-m2')).events)).not.toContain('id.example');
  const again = open();
  await again.follow();
  expect(again.team.identifiedBy(identity).map(({ id }) => id)).toEqual([first.id]);
});
