import { jest } from '@jest/globals';
import { generateKey, IssuedKeys, KEY_FORMAT } from '#features/access';
import { hashSecret, type JsonObject, type OrganizationId, type Principal, systemClock } from '#platform/kernel';
import type { NewEvent, RecordedEvent } from '#ports/event-store';
import type { KeyLimits } from './key.ts';
import type { MemberRights, Members } from './members.ts';
import { issuedKey } from './testing.ts';

const organization = 'acme' as OrganizationId;
const { secret, hash, start } = generateKey(organization);
const owner = issuedKey({ hash });

test('a generated key names its organization, matches the format of clients and is unique', () => {
  expect(secret).toMatch(/^sm_acme_[\w-]{43}$/);
  expect(secret).toMatch(KEY_FORMAT);
  expect(generateKey(organization).secret).not.toBe(secret);
});

test('only the hash and the first characters are stored', () => {
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hashSecret(secret)).toBe(hash);
  expect(secret.startsWith(start)).toBe(true);
  expect(start).toHaveLength('sm_acme_'.length + 4);
  expect(JSON.stringify(new IssuedKeys([owner]).of(organization))).not.toContain(secret);
});

test.each([
  '',
  'sm_',
  'sm_short',
  'xx_acme_0123456789012345678901234567890',
  `${secret}x`,
  secret.slice(0, -1),
  `${secret} `,
])('authenticate() returns null for %j', (text) => {
  expect(new IssuedKeys([owner]).authenticate(text)).toBeNull();
});

const read = { containerTag: 'b', permission: 'read' } as const;
const write = { containerTag: 'a', permission: 'write' } as const;

test.each<[string, KeyLimits, object]>([
  ['everything, without limits', {}, { tags: 'all', writableTags: 'all' }],
  ['to read everything', { permission: 'read' }, { tags: 'all', writableTags: [] }],
  ['to read its tags, and to write some', { containerTags: [write, read] }, { tags: ['a', 'b'], writableTags: ['a'] }],
])('a key permits %s', (_, limits, permitted) => {
  expect(new IssuedKeys([issuedKey({ hash, limits })]).authenticate(secret)).toEqual({
    ...{ organization, keyId: 'k1', role: 'owner' },
    ...permitted,
  });
});

test('a key is refused from the millisecond at which it expires', () => {
  const key = issuedKey({ hash, limits: { expiresAt: 1_001 } });
  const clock = { time: 1_000, now: () => clock.time };
  const keys = new IssuedKeys([key], clock);
  const principal = keys.authenticate(secret) as Principal;
  expect(keys.isValid(principal)).toBe(true);
  clock.time = 1_001;
  expect(keys.authenticate(secret)).toBeNull();
  expect(keys.isValid(principal)).toBe(false);
});

test('a disabled key is refused until it is enabled again, a revoked one for good; both are known', () => {
  const keys = new IssuedKeys([owner]);
  const principal = keys.authenticate(secret) as Principal;
  keys.set('k1', { status: 'issued', key: { ...owner, isEnabled: false } }, 1);
  expect(keys.authenticate(secret)).toBeNull();
  keys.set('k1', { status: 'issued', key: owner }, 2);
  expect(keys.authenticate(secret)).not.toBeNull();
  keys.set('k1', { status: 'revoked', hash }, 3);
  expect(keys.authenticate(secret)).toBeNull();
  expect(keys.isValid(principal)).toBe(false);
  expect(keys.of(organization)).toEqual([]);
  expect(keys.isKnown(secret)).toBe(true);
  expect(keys.isKnown(generateKey(organization).secret)).toBe(false);
});

test('keys are current until nobody has confirmed them for half a minute', () => {
  jest.useFakeTimers();
  try {
    const keys = new IssuedKeys([owner]);
    jest.advanceTimersByTime(100_000);
    expect(keys.isCurrent()).toBe(true);
    keys.confirm();
    jest.advanceTimersByTime(29_999);
    expect(keys.isCurrent()).toBe(true);
    jest.advanceTimersByTime(1);
    expect(keys.isCurrent()).toBe(false);
    keys.confirm();
    expect(keys.isCurrent()).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});

test('an event that is known already changes nothing', () => {
  const event = (revision: number, type: string, payload: JsonObject | null) =>
    ({
      stream: 'key-k1',
      revision,
      envelope: { type, at: '2026-01-02T03:04:05.678Z', organization },
      payload,
    }) as RecordedEvent;
  const issued = event(0, 'KeyIssued', { id: 'k1', role: 'owner', name: 'x', hash });
  const keys = new IssuedKeys();
  keys.apply(issued);
  expect(keys.authenticate(secret)).not.toBeNull();
  keys.apply(event(1, 'KeyRevoked', null));
  keys.apply(issued);
  expect(keys.authenticate(secret)).toBeNull();
});

test('a state that comes later than that of a newer event changes nothing', () => {
  const keys = new IssuedKeys([owner]);
  keys.set('k1', { status: 'revoked', hash }, 2);
  keys.set('k1', { status: 'issued', key: owner }, 1);
  expect(keys.authenticate(secret)).toBeNull();
});

test('of() returns the keys of one organization, the first issued first', () => {
  const keys = new IssuedKeys([
    issuedKey({ id: 'late', hash: 'a', createdAt: 2 }),
    issuedKey({ id: 'early', hash: 'b', createdAt: 1 }),
    issuedKey({ id: 'other', hash: 'c', organization: 'other' as OrganizationId }),
  ]);
  expect(keys.of(organization).map(({ id }) => id)).toEqual(['early', 'late']);
});

describe('the key of a member', () => {
  const handbook = { containerTag: 'handbook', permission: 'write' } as const;
  let rights: MemberRights | null;
  const members: Members = { categories: ['member'], apply: () => {}, rightsOf: () => rights };
  const keysWith = (limits: KeyLimits) =>
    new IssuedKeys([issuedKey({ hash, limits, member: 'm1', role: 'member' })], systemClock, members);
  beforeEach(() => {
    rights = { role: 'member', containerTags: null };
  });

  test('permits what the member may now, and ends with the membership', () => {
    const keys = keysWith({});
    const asMember = keys.authenticate(secret) as Principal;
    expect(asMember).toMatchObject({ member: 'm1', role: 'member', tags: 'all', writableTags: 'all' });
    rights = { role: 'admin', containerTags: null };
    expect(keys.isValid(asMember)).toBe(false);
    expect(keys.authenticate(secret)).toMatchObject({ role: 'admin' });
    rights = { role: 'member', containerTags: [handbook] };
    const confined = keys.authenticate(secret) as Principal;
    expect(confined).toMatchObject({ role: 'member', tags: ['handbook'], writableTags: ['handbook'] });
    expect(keys.of(organization)).toMatchObject([{ role: 'member', limits: { containerTags: [handbook] } }]);
    rights = null;
    expect(keys.authenticate(secret)).toBeNull();
    expect(keys.isValid(confined)).toBe(false);
    expect(keys.of(organization)).toEqual([]);
  });

  test('is valid as before after a change that it does not feel', () => {
    const keys = keysWith({});
    const principal = keys.authenticate(secret) as Principal;
    rights = { role: 'member', containerTags: null };
    expect(keys.isValid(principal)).toBe(true);
    keys.set('k1', { status: 'issued', key: issuedKey({ hash, member: 'm1', role: 'member', name: 'Renamed' }) }, 1);
    expect(keys.isValid(principal)).toBe(true);
  });

  test.each<[string, KeyLimits, MemberRights['containerTags'], object]>([
    ['reads, of a member who may all', { permission: 'read' }, null, { tags: 'all', writableTags: [] }],
    ['reads, of a member with tags', { permission: 'read' }, [handbook], { tags: ['handbook'], writableTags: [] }],
    [
      'has tags, of a member with other rights to them',
      { containerTags: [write, { ...handbook, permission: 'read' }] },
      [handbook, read],
      { tags: ['handbook'], writableTags: [] },
    ],
    [
      'writes, of a member who reads',
      { containerTags: [handbook] },
      [{ ...handbook, permission: 'read' }],
      { tags: ['handbook'], writableTags: [] },
    ],
    ['has tags, of a member who may all', { containerTags: [write] }, null, { tags: ['a'], writableTags: ['a'] }],
  ])('that %s permits what both do', (_, limits, containerTags, permitted) => {
    rights = { role: 'member', containerTags };
    expect(keysWith(limits).authenticate(secret)).toMatchObject(permitted);
  });
});

test('a key counts as its organization does: suspended it authenticates, gone it is unknown', () => {
  const keys = new IssuedKeys([owner]);
  const principal = keys.authenticate(secret) as Principal;
  const become = (status: 'active' | 'suspended' | 'deleting') => {
    const state = { id: organization, name: 'Acme', state: status, createdAt: 0 };
    keys.organizations.set(organization, { status: 'present', organization: state }, 0);
    return [keys.authenticate(secret) !== null, keys.isValid(principal), keys.organizations.stateOf(organization)];
  };
  expect(become('active')).toEqual([true, true, 'active']);
  expect(become('suspended')).toEqual([true, false, 'suspended']);
  expect(become('deleting')).toEqual([false, false, 'gone']);
  expect(become('active')).toEqual([true, true, 'active']);
});

test('in an organization that is gone, callers change nothing, and the work of the deletion goes on', () => {
  const { organizations } = new IssuedKeys();
  organizations.set('gone', { status: 'deleted' }, 3);
  const refusal = (actor: string, of: string) =>
    organizations.refusal([{ envelope: { actor, organization: of } } as NewEvent]);
  expect(refusal('key:k1', 'gone')).toMatchObject({ code: 'organization_gone' });
  expect(refusal('system', 'gone')).toBeNull();
  expect(refusal('key:k1', organization)).toBeNull();
});
