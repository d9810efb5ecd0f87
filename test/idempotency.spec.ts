import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteEventStore } from '#event-store';
import { readWholeLog } from '../libs/event-store/src/testing.ts';
import { Mneme } from './support/mneme.ts';

const BODY = { content: 'The door code is 4711.', containerTag: 'codes' };
let folder: string;
let mneme: Mneme;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-idempotency-'));
  mneme = await Mneme.start({ folder });
});
afterEach(async () => {
  await mneme.kill();
  await rm(folder, { recursive: true, force: true });
});

const send = (key: string, body: object = BODY) => mneme.post('/v3/documents', body, { 'idempotency-key': key });

async function fingerprints(): Promise<unknown[]> {
  const store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  try {
    const claims = await readWholeLog(store, { filter: { types: ['NameClaimed'] } });
    return claims.flatMap(({ payload }) => (payload as { fingerprint: string | null }).fingerprint ?? []);
  } finally {
    await store.close();
  }
}

test('a repetition is recognised after a restart and after deletion, and another request with the same key is a 409', async () => {
  const { id } = (await send('5ab5f6ae')).body;
  await mneme.settled(id as string);
  await mneme.kill('SIGTERM');
  mneme = await Mneme.start({ folder });
  expect(await send('5ab5f6ae')).toMatchObject({ status: 200, body: { id } });
  expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  expect(await send('5ab5f6ae')).toMatchObject({ status: 200, body: { id } });
  expect(await send('5ab5f6ae', { ...BODY, content: 'The door code is 4712.' })).toMatchObject({ status: 409 });
});

test('the fingerprint of a request cannot be compared with guesses at its content without the key', async () => {
  const { id } = (await send('0c5d4a39')).body;
  const other = (await send('f2a7b1c8')).body.id;
  for (const one of [id, other]) expect((await mneme.request('DELETE', `/v3/documents/${one}`)).status).toBe(204);
  await mneme.kill('SIGTERM');
  const left = await fingerprints();
  // Equal requests under different keys have different fingerprints.
  expect(left).toHaveLength(2);
  expect(left[0]).not.toBe(left[1]);
});
