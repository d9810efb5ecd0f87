import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followOthers, hideDeleted } from '#composition/startup';
import { TagLocks } from '#features/container-tags';
import { DOCUMENT_EVENTS, documentStream } from '#features/documents';
import { newId, type OrganizationId, type Principal, systemClock } from '#platform/kernel';
import { type Position, record, SqliteEventStore, systemCause } from '#ports/event-store';
import { RecentDeletions } from '#read-side/views';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { IssuedKeys } from './api-keys.ts';
import { keyShown } from './key-file.ts';
import { openAccess } from './open-access.ts';
import { ORGANIZATION_EVENTS, organizationStream } from './organization.ts';

let folder: string;
let store: SqliteEventStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-access-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const KEY = 'sm_test_owner_key_0123456789';
async function open(apiKey: string | null) {
  const keys = new IssuedKeys();
  const ownerKey = await openAccess({ store, clock: systemClock, keys, apiKey, keyFile: join(folder, 'owner.key') });
  return { keys, ownerKey };
}

test('processes that start concurrently on an empty log agree on one organization and one key', async () => {
  const opened = await Promise.all([open(KEY), open(KEY), open(KEY)]);
  const principals = [...opened, await open(KEY)].map(({ keys }) => keys.authenticate(KEY));
  expect(principals[0]?.role).toBe('owner');
  expect(new Set(principals.map((one) => `${one?.organization} ${one?.keyId}`)).size).toBe(1);
});

test('a generated key is new until it is shown, then it is in its file', async () => {
  const { ownerKey, keys } = await open(null);
  const secret = ownerKey.kind === 'new' ? ownerKey.secret : '';
  expect(keys.authenticate(secret)).not.toBeNull();
  // The first start has failed before it could show the key.
  expect((await open(null)).ownerKey).toEqual(ownerKey);

  await keyShown(ownerKey);
  const file = join(folder, 'owner.key');
  expect(await readFile(file, 'utf8')).toBe(`${secret}\n`);
  expect((await open(null)).ownerKey).toEqual({ kind: 'stored', file });
  expect((await open(KEY)).ownerKey).toEqual({ kind: 'configured' });
  await rm(file);
  expect((await open(null)).ownerKey).toEqual({ kind: 'removed' });
});

test('the setting of a key opens the first organization, and no other one after its deletion', async () => {
  const { keys } = await open(KEY);
  const { organization } = keys.authenticate(KEY) as Principal;
  const requested = { type: 'OrganizationDeletionRequested', payload: null } as const;
  const recording = { organization, cause: systemCause(), tags: [], now: systemClock.now() };
  const events = record(ORGANIZATION_EVENTS, [requested], recording);
  await store.append(organizationStream(organization), events, { expected: 'any' });
  await expect(open(KEY)).rejects.toThrow('was revoked or disabled');
  await expect(open('sm_test_other_key_0123456789')).rejects.toThrow('the first organization, which was deleted');
  expect((await open(null)).keys.authenticate(KEY)).toBeNull();
});

test('a key that another process issues is accepted', async () => {
  const { keys } = await open(KEY);
  const stopping = new AbortController();
  const { signal } = stopping;
  const deletions = new RecentDeletions({ reached: async () => true });
  const tagLocks = new TagLocks(new Set(['DocumentAdded', 'ContainerTagChanged']));
  const following = followOthers({
    store,
    keys,
    deletions,
    tagLocks,
    after: await store.head(),
    logger: console,
    signal,
  });
  const other = 'sm_test_other_key_0123456789';
  expect(keys.authenticate(other)).toBeNull();
  await open(other);
  await until(() => keys.authenticate(other));
  stopping.abort();
  await following;
  expect(keys.authenticate(other)?.organization).toBe(keys.authenticate(KEY)?.organization);
});

describe('documents deleted before the start', () => {
  const ids = [newId(), newId()] as const;
  let positions: Position[];
  beforeEach(async () => {
    positions = [];
    for (const id of ids) {
      const deleted = record(DOCUMENT_EVENTS, [{ type: 'DocumentDeleted', payload: null }], {
        organization: 'org',
        cause: systemCause(),
        tags: [],
        now: systemClock.now(),
      });
      const appended = await store.append(documentStream('org', id), deleted, { expected: 'any' });
      positions.push((appended as { readonly position: Position }).position);
    }
  });

  test.each([
    ['are not yet removed from the views', async () => positions[0] as Position, [ids[0]]],
    ['may be in views that do not answer', () => Promise.reject(new Error('gone')), []],
    ['cannot be in views that are empty', async () => null, ids],
  ])('are hidden if they %s', async (_which, checkpoint, visible) => {
    const deletions = new RecentDeletions({ reached: async () => false });
    await hideDeleted({ store, views: { checkpoint }, deletions });
    expect(deletions.visible({ organization: 'org' as OrganizationId }, ids, (id) => id)).toEqual(visible);
  });
});
