import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrganizationId, Principal } from '#platform/kernel';
import { createCommandHandler, createFoldCache, SqliteEventStore } from '#ports/event-store';
import { UploadLinks } from './upload-links.ts';

const KEY: Principal = {
  ...{ organization: 'acme' as OrganizationId, keyId: 'k1', role: 'member' },
  ...{ tags: 'all', writableTags: 'all' },
};
const TAG = 'org/ä 📦'.padEnd(200, '📦');
const clock = { time: 1_000, now: () => clock.time };

let folder: string;
let store: SqliteEventStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-upload-links-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Of a process, which has its own cache of the log. */
const links = () =>
  new UploadLinks(createCommandHandler({ store, clock, cache: createFoldCache({ characters: 10_000 }) }), clock);

test('what one process prepares, another one reads, for two minutes', async () => {
  const { id, token, expiresAt } = await links().prepare(KEY, TAG);
  expect(expiresAt).toBe(121_000);
  expect(await links().read(id, token)).toEqual({ organization: 'acme', keyId: 'k1', tag: TAG });
  clock.time = 121_000;
  expect(await links().read(id, token)).toBeNull();
});

test('a token that is altered, or of another address, permits nothing', async () => {
  const [one, other] = [await links().prepare(KEY, 'a'), await links().prepare(KEY, 'b')];
  expect(await links().read(other.id, one.token)).toBeNull();
  expect(await links().read('', one.token)).toBeNull();
  const [organization, key, , expires, signed] = one.token.split('.');
  for (const parts of [
    [organization, key, Buffer.from('b').toString('base64url'), expires, signed],
    [organization, 'k2', Buffer.from('a').toString('base64url'), expires, signed],
    ['other', key, Buffer.from('a').toString('base64url'), expires, signed],
    [organization, key, Buffer.from('a').toString('base64url'), 'zzzzzzzz', signed],
    [organization, key, Buffer.from('a').toString('base64url'), expires],
  ]) {
    expect(await links().read(one.id, parts.join('.'))).toBeNull();
  }
});
