import { hashSecret, type OrganizationId, type Principal } from '#platform/kernel';
import { IssuedKeys } from './api-keys.ts';
import { decideGrant, decideRenew, foldKey, initialKey, type KeyEvent, type KeyState } from './key.ts';
import { tokenOfKey } from './keys.ts';
import { issuedKey } from './testing.ts';

const AT = '2026-01-02T03:04:05.678Z';
const now = Date.parse(AT);
const HOUR = 3_600_000;
const organization = 'acme' as OrganizationId;
const id = 'Abcdefghijklmnopqrstu1';
const client = { id: 'https://app.example/client.json', name: 'App' };
const of = (turn: number) => ({
  ...{ hash: `access ${turn}`, start: 'sm_', refreshHash: `refresh ${turn}` },
  ...{ accessUntil: now + HOUR, refreshUntil: now + 720 * HOUR },
});
const { hash, start, ...tokens } = of(1);
const payload = { id, role: 'member', name: 'App', hash, start, grant: { client, ...tokens } } as const;
const issued: KeyEvent = { type: 'KeyIssued', payload };
const renewed = (turn: number): KeyEvent => ({ type: 'KeyRenewed', payload: of(turn) });
const revoked: KeyEvent = { type: 'KeyRevoked', payload: null };

const given = (...events: readonly KeyEvent[]): KeyState =>
  events.reduce<KeyState>((state, { type, payload: recorded }) => {
    const envelope = { at: AT, organization, tags: [], correlationId: 'c', type };
    return foldKey(state, { envelope, payload: recorded as never });
  }, initialKey);
const renew = (state: KeyState, turn: number, after = 0) =>
  decideRenew(state, { presentedHash: `refresh ${turn}`, next: of(turn + 1) }, now + after);

test('given nothing, when a code is exchanged, then a key is issued; the second time it is revoked', () => {
  expect(decideGrant(initialKey, payload)).toEqual([issued]);
  expect(decideGrant(given(issued), { ...payload, hash: 'another' })).toEqual([revoked]);
  expect(decideGrant(given(issued, revoked), payload)).toEqual([]);
});

test('given the append of a command whose answer was lost, when the command is repeated, then nothing', () => {
  expect(decideGrant(given(issued), payload)).toEqual([]);
});

test('given a grant, when its refresh token is exchanged, then it has other tokens', () => {
  expect(renew(given(issued), 1)).toEqual([renewed(2)]);
  expect(renew(given(issued, renewed(2)), 2)).toEqual([renewed(3)]);
});

test('given a refresh token that was exchanged, when it comes again, then nothing within a minute, and afterwards an end', () => {
  expect(renew(given(issued, renewed(2)), 1, 59_999)).toEqual([]);
  expect(renew(given(issued, renewed(2)), 1, 60_000)).toEqual([revoked]);
  expect(renew(given(issued, renewed(2), renewed(3)), 1)).toEqual([revoked]);
});

test('given a grant that is over, disabled or revoked, and a key that is none, then nothing is renewed', () => {
  expect(renew(given(issued), 1, 720 * HOUR)).toEqual([]);
  expect(renew(given(issued, { type: 'KeyChanged', payload: { isEnabled: false } }), 1)).toEqual([]);
  expect(renew(given(issued, revoked), 1)).toEqual([]);
  expect(renew(given({ type: 'KeyIssued', payload: { id, role: 'member', name: 'x', hash: 'h' } }), 1)).toEqual([]);
});

describe('the key of an application', () => {
  const access = tokenOfKey(organization, id, 'x'.repeat(43));
  let at = now;
  const clock = { now: () => at };
  const grant = { client, ...tokens, former: null };
  const key = issuedKey({ id, hash: access.hash, role: 'member', grant });
  beforeEach(() => {
    at = now;
  });

  test('is accepted for an hour, is not over for thirty days, and is for the tools alone', () => {
    const keys = new IssuedKeys([key], clock);
    const principal = keys.authenticate(access.secret) as Principal;
    expect(principal).toMatchObject({ keyId: id, audience: 'mcp' });
    at += HOUR;
    expect([keys.authenticate(access.secret), keys.principalOf(id)]).toEqual([null, principal]);
    expect(keys.of(organization)).toHaveLength(1);
    at = tokens.refreshUntil;
    expect([keys.principalOf(id), keys.isValid(principal), keys.of(organization)]).toEqual([null, false, []]);
  });

  test('stays the same principal when its tokens are others', () => {
    const keys = new IssuedKeys([key], clock);
    const principal = keys.authenticate(access.secret);
    keys.set(id, { status: 'issued', key: { ...key, hash: hashSecret('sm_acme_another_one_123') } }, 1);
    expect(keys.authenticate(access.secret)).toBeNull();
    expect(keys.authenticate('sm_acme_another_one_123')).toBe(principal);
  });

  test.each<[string, Parameters<typeof issuedKey>[0]['limits'], object, object]>([
    ['for all tags', {}, {}, { tags: 'all', writableTags: 'all' }],
    ['that reads', { permission: 'read' }, {}, { tags: 'all', writableTags: [] }],
    [
      'that reads, though it may write a tag',
      { permission: 'read' },
      { containerTags: [{ containerTag: 'a', permission: 'write' }] },
      { tags: ['a'], writableTags: [] },
    ],
    [
      'for a tag',
      { containerTags: [{ containerTag: 'a', permission: 'write' }] },
      {},
      { tags: ['a'], writableTags: ['a'] },
    ],
  ])('permits no more than the key %s whose session has agreed, and ends with it', (_, limits, own, permitted) => {
    const parent = issuedKey({ id: 'k1', hash: 'h', limits: limits ?? {} });
    const keys = new IssuedKeys([parent, { ...key, parent: 'k1', limits: own }], clock);
    expect(keys.authenticate(access.secret)).toMatchObject({ role: 'owner', ...permitted });
    keys.set('k1', { status: 'issued', key: { ...parent, isEnabled: false } }, 1);
    expect(keys.authenticate(access.secret)).toBeNull();
    keys.set('k1', { status: 'issued', key: parent }, 2);
    expect(keys.authenticate(access.secret)).not.toBeNull();
    keys.set('k1', { status: 'revoked', hash: 'h' }, 3);
    expect([keys.authenticate(access.secret), keys.of(organization)]).toEqual([null, []]);
  });

  test('may be new while it is not known, and not when it is revoked', () => {
    const keys = new IssuedKeys([], clock);
    expect([keys.mayBeNew(access.secret), keys.mayBeNew('sm_acme_0123456789abcdefgh')]).toEqual([true, false]);
    keys.set(id, { status: 'issued', key }, 0);
    expect(keys.mayBeNew(access.secret)).toBe(false);
    expect(keys.mayBeNew(tokenOfKey(organization, id, 'y'.repeat(43)).secret)).toBe(true);
    keys.set(id, { status: 'revoked', hash: access.hash }, 1);
    expect(keys.mayBeNew(access.secret)).toBe(false);
  });
});
