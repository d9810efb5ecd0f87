import { createApiKeys, generateKey, hashKey, KEY_FORMAT, type KeyRecord } from '#features/access';
import type { OrganizationId } from '#platform/kernel';

const organization = 'acme' as OrganizationId;
const { secret, hash } = generateKey(organization);
const record: KeyRecord = { id: 'k1', organization, role: 'owner', hash, revokedAt: null, expiresAt: null };

test('a generated key names its organization, matches the format of clients and is unique', () => {
  expect(secret).toMatch(/^sm_acme_[\w-]{43}$/);
  expect(secret).toMatch(KEY_FORMAT);
  expect(generateKey(organization).secret).not.toBe(secret);
});

test('only the hash is stored', () => {
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hashKey(secret)).toBe(hash);
  expect(JSON.stringify(createApiKeys([record]).records())).not.toContain(secret);
});

test('authenticate() returns the principal of a key', () => {
  expect(createApiKeys([record]).authenticate(secret)).toEqual({
    organization,
    keyId: 'k1',
    role: 'owner',
    tags: 'all',
    writableTags: 'all',
  });
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
  expect(createApiKeys([record]).authenticate(text)).toBeNull();
});

test('a revoked key is rejected at once, an expired one from its exact millisecond', () => {
  const clock = { now: () => 1000 };
  const keys = createApiKeys([{ ...record, expiresAt: 1001 }], clock);
  expect(keys.authenticate(secret)).not.toBeNull();
  expect(keys.revoke('k1')).toBe(true);
  expect(keys.authenticate(secret)).toBeNull();
  expect(keys.records()[0]?.revokedAt).toBe(1000);
  expect(keys.revoke('unknown')).toBe(false);

  expect(createApiKeys([{ ...record, expiresAt: 1000 }], clock).authenticate(secret)).toBeNull();
});

test('a key with the same id replaces the earlier one', () => {
  const next = generateKey(organization);
  const keys = createApiKeys([record]);
  keys.add({ ...record, hash: next.hash });
  expect(keys.authenticate(secret)).toBeNull();
  expect(keys.authenticate(next.secret)?.keyId).toBe('k1');
  expect(keys.records()).toHaveLength(1);
});
