import { payloadsOf } from './support/log.ts';
import { Mneme } from './support/mneme.ts';

const BODY = { content: 'The door code is 4711.', containerTag: 'codes' };
let mneme: Mneme;

beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const send = (key: string, body: object = BODY) => mneme.post('/v3/documents', body, { 'idempotency-key': key });

async function fingerprints(): Promise<unknown[]> {
  const claims = await payloadsOf(mneme, 'NameClaimed');
  return claims.flatMap((payload) => (JSON.parse(payload) as { fingerprint: string | null }).fingerprint ?? []);
}

test('a repetition is recognised after a restart and after deletion, and another request with the same key is a 409', async () => {
  const { id } = (await send('5ab5f6ae')).body;
  await mneme.settled(id as string);
  mneme = await mneme.restart();
  expect(await send('5ab5f6ae')).toMatchObject({ status: 200, body: { id } });
  expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  expect(await send('5ab5f6ae')).toMatchObject({ status: 200, body: { id } });
  expect(await send('5ab5f6ae', { ...BODY, content: 'The door code is 4712.' })).toMatchObject({ status: 409 });
});

test('a change of an existing document is carried out once, also after other changes, a restart and the deletion', async () => {
  const customId = 'ferry';
  const { id } = (await mneme.post('/v3/documents', { ...BODY, customId })).body;
  const delta = { ...BODY, customId, content: 'It is changed on Mondays.' };
  const first = await send('9e1c44d0', delta);
  expect(first).toMatchObject({ status: 200, body: { id, status: 'queued' } });
  const other = { ...BODY, customId, content: 'The spare key is with the neighbour.', metadata: { n: 1 } };
  expect((await mneme.post('/v3/documents', other)).status).toBe(200);
  mneme = await mneme.restart();
  expect((await send('9e1c44d0', delta)).body).toEqual(first.body);
  const text = 'The door code is 4711.\nIt is changed on Mondays.\nThe spare key is with the neighbour.';
  expect((await mneme.get(`/v3/documents/${id}`)).body).toMatchObject({ content: text, metadata: { n: 1 } });
  expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  expect((await send('9e1c44d0', delta)).body).toEqual(first.body);
  expect((await mneme.get(`/v3/documents/${customId}`)).status).toBe(404);
});

test('the fingerprint of a request cannot be compared with guesses at its content without the key', async () => {
  const before = await fingerprints();
  const { id } = (await send('0c5d4a39')).body;
  const other = (await send('f2a7b1c8')).body.id;
  for (const one of [id, other]) expect((await mneme.request('DELETE', `/v3/documents/${one}`)).status).toBe(204);
  const left = (await fingerprints()).filter((one) => !before.includes(one));
  // Equal requests under different keys have different fingerprints.
  expect(left).toHaveLength(2);
  expect(left[0]).not.toBe(left[1]);
});
