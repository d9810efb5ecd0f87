import { createKeyRing, generateKey, hashKey, KEY_FORMAT, type KeyRecord } from '#access';
import type { OrganizationId } from '#kernel';

const organization = 'acme' as OrganizationId;
const { secret, hash } = generateKey(organization);
const record: KeyRecord = { id: 'k1', organization, role: 'owner', hash, revokedAt: null, expiresAt: null };

test('a generated key names its organization, matches what clients recognise and never repeats', () => {
  expect(secret).toMatch(/^sm_acme_[\w-]{43}$/);
  expect(secret).toMatch(KEY_FORMAT);
  expect(generateKey(organization).secret).not.toBe(secret);
});

test('only the hash is kept', () => {
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hashKey(secret)).toBe(hash);
  expect(JSON.stringify(createKeyRing([record]).records())).not.toContain(secret);
});

test('a known key gives its caller', () => {
  expect(createKeyRing([record]).authenticate(secret)).toEqual({
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
])('%j is nobody', (text) => {
  expect(createKeyRing([record]).authenticate(text)).toBeNull();
});

test('a revoked key is refused at once, an expired one from its very millisecond', () => {
  const clock = { now: () => 1000 };
  const ring = createKeyRing([{ ...record, expiresAt: 1001 }], clock);
  expect(ring.authenticate(secret)).not.toBeNull();
  expect(ring.revoke('k1')).toBe(true);
  expect(ring.authenticate(secret)).toBeNull();
  expect(ring.records()[0]?.revokedAt).toBe(1000);
  expect(ring.revoke('nobody')).toBe(false);

  expect(createKeyRing([{ ...record, expiresAt: 1000 }], clock).authenticate(secret)).toBeNull();
});

test('a key of the same id replaces the former one', () => {
  const next = generateKey(organization);
  const ring = createKeyRing([record]);
  ring.add({ ...record, hash: next.hash });
  expect(ring.authenticate(secret)).toBeNull();
  expect(ring.authenticate(next.secret)?.keyId).toBe('k1');
  expect(ring.records()).toHaveLength(1);
});
