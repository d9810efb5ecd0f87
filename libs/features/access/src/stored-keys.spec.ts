import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey, StoredKeys } from '#features/access';
import { newId, type OrganizationId, type Role } from '#platform/kernel';
import { type NewEvent, SqliteEventStore } from '#ports/event-store';

const organization = 'acme' as OrganizationId;
let now = 0;
let folder: string;
let store: SqliteEventStore;

beforeEach(async () => {
  now = 0;
  folder = await mkdtemp(join(tmpdir(), 'mneme-stored-keys-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const keyEvent = (type: string, payload: NewEvent['payload']): NewEvent => ({
  envelope: {
    id: newId(),
    type,
    schemaVersion: 1,
    at: '2026-01-02T03:04:05.678Z',
    organization,
    tags: [],
    actor: 'system',
    correlationId: 'correlation',
    causationId: null,
  },
  payload,
});

async function issue(id: string, role: Role): Promise<string> {
  const { secret, hash } = generateKey(organization);
  const issued = keyEvent('KeyIssued', { id, role, name: id, hash });
  await store.append(`key-${id}`, [issued], { expected: 'no-stream' });
  return secret;
}

test('reads the keys of the log with their roles', async () => {
  const owner = await issue('k1', 'owner');
  const member = await issue('k2', 'member');
  const apiKeys = await new StoredKeys(store).read();
  expect(apiKeys.authenticate(owner)).toMatchObject({ keyId: 'k1', role: 'owner', organization });
  expect(apiKeys.authenticate(member)).toMatchObject({ keyId: 'k2', role: 'member' });
  expect(apiKeys.authenticate(generateKey(organization).secret)).toBeNull();
});

test('a key issued or revoked later counts after a second; the log is read once per second', async () => {
  let reads = 0;
  const readAll: SqliteEventStore['readAll'] = (options) => {
    reads += 1;
    return store.readAll(options);
  };
  const keys = new StoredKeys({ readAll }, { now: () => now });
  const first = await issue('k1', 'owner');
  expect((await keys.read()).authenticate(first)).not.toBeNull();

  const second = await issue('k2', 'owner');
  await store.append('key-k1', [keyEvent('KeyRevoked', null)], { expected: 'any' });
  now = 999;
  expect((await keys.read()).authenticate(second)).toBeNull();
  expect(reads).toBe(1);
  now = 1_000;
  const apiKeys = await keys.read();
  expect(apiKeys.authenticate(second)).not.toBeNull();
  expect(apiKeys.authenticate(first)).toBeNull();
  expect(reads).toBe(2);
});

test('a failed read of the log is repeated', async () => {
  const secret = await issue('k1', 'owner');
  let reachable = false;
  const readAll: SqliteEventStore['readAll'] = (options) =>
    reachable ? store.readAll(options) : Promise.reject(new Error('away'));
  const keys = new StoredKeys({ readAll }, { now: () => now });
  await expect(keys.read()).rejects.toThrow('away');
  reachable = true;
  now = 1_000;
  expect((await keys.read()).authenticate(secret)).not.toBeNull();
});
