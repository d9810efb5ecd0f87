import { join } from 'node:path';
import Supermemory from 'supermemory';
import { areEmbedded } from './support/combinations.ts';
import { LossyProxy } from './support/lossy-proxy.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';
import { SmallDisk } from './support/small-disk.ts';

/** `POST /v3/documents/batch`, with the public client. */

let mneme: Mneme;
let client: Supermemory;

beforeAll(async () => {
  mneme = await Mneme.start();
  client = new Supermemory({ baseURL: mneme.url, apiKey: OWNER_KEY });
});
afterAll(() => mneme.stop());

const contentOf = async (id: string) => (await client.documents.get(id)).content;
const countIn = async (containerTag: string) =>
  (await client.documents.list({ containerTags: [containerTag] })).pagination.totalItems;

test('600 documents, half of them bad, are answered in order and found', async () => {
  const documents = Array.from({ length: 600 }, (_, i) =>
    i % 2 === 0 ? { content: `Penguin number ${i} stands on the ice.`, customId: `penguin-${i}` } : { content: ' ' },
  );
  const { results, success, failed } = await client.documents.batchAdd({ documents, containerTag: 'penguins' });
  expect({ success, failed, length: results.length }).toEqual({ success: 300, failed: 300, length: 600 });
  for (const [i, result] of results.entries()) {
    if (i % 2 === 1) expect(result).toEqual({ id: '', status: 'error', error: expect.any(String), details: 'content' });
  }
  expect(await contentOf(results[422]?.id as string)).toBe('Penguin number 422 stands on the ice.');
  expect((await client.documents.get('penguin-598')).id).toBe(results[598]?.id);
  for (const { id } of results) if (id !== '') await mneme.settled(id);
  await eventually(async () => ((await client.documents.listProcessing()).totalCount === 0 ? true : null));
  const found = await client.search.documents({ q: 'penguin 422', containerTags: ['penguins'], limit: 1 });
  expect(found.results[0]?.documentId).toBe(results[422]?.id);
});

test('items with one customId are applied in order, to a new document and to an existing one', async () => {
  const documents = ['one', 'two', 'three'].map((word) => ({ content: `user: ${word}`, customId: 'talk' }));
  const first = await client.documents.batchAdd({ documents, containerTag: 'talks' });
  expect(new Set(first.results.map(({ id }) => id)).size).toBe(1);
  expect(await contentOf('talk')).toBe('user: one\nuser: two\nuser: three');
  const again = await client.documents.batchAdd({
    documents: [{ content: 'user: four', customId: 'talk' }, { content: 'Another document.' }],
    containerTag: 'talks',
  });
  expect(again.results[0]).toEqual({ id: first.results[0]?.id, status: 'queued' });
  expect(await contentOf('talk')).toBe('user: one\nuser: two\nuser: three\nuser: four');
});

test('a batch that is sent again with its Idempotency-Key gets the documents of the first attempt', async () => {
  const lossy = await LossyProxy.start(() => mneme.url);
  try {
    const body = {
      documents: [{ content: 'A first heron.' }, { content: 'user: hello', customId: 'heron' }, { content: '' }],
      containerTag: 'herons',
    };
    const { results } = await new Supermemory({ baseURL: lossy.url, apiKey: OWNER_KEY }).documents.batchAdd(body, {
      headers: { 'Idempotency-Key': 'herons-1' },
    });
    expect(lossy.lost).toBe(1);
    expect(results.map(({ id }) => id)).toEqual([
      expect.stringMatching(/^\w{22}$/),
      expect.stringMatching(/^\w{22}$/),
      '',
    ]);
    await eventually(async () => ((await countIn('herons')) === 2 ? true : null));
    expect(await contentOf('heron')).toBe('user: hello');
    const other = mneme.post('/v3/documents/batch', { documents: ['x'] }, { 'idempotency-key': 'herons-1' });
    expect((await other).status).toBe(409);
  } finally {
    await lossy.stop();
  }
});

test('a retried batch with deltas changes nothing', async () => {
  const documents = ['hm', 'user: is anybody out there tonight?', 'assistant: nobody'].map((content) => ({
    ...{ content, customId: 'retried' },
  }));
  const { results } = await client.documents.batchAdd({ documents });
  const content = 'hm\nuser: is anybody out there tonight?\nassistant: nobody';
  expect(await contentOf('retried')).toBe(content);
  const again = await client.documents.batchAdd({ documents }, { headers: { 'x-stainless-retry-count': '1' } });
  expect(again.results.map(({ id }) => id)).toEqual(results.map(({ id }) => id));
  expect(await contentOf('retried')).toBe(content);
});

test('a batch that does not fit into the backlog is answered with 503, and nothing of it is added', async () => {
  const small = await Mneme.start({ env: { MNEME_MAX_BACKLOG: '50' } });
  try {
    const documents = Array.from({ length: 51 }, (_, i) => ({ content: `Document ${i}`, customId: `d${i}` }));
    const refused = await small.post('/v3/documents/batch', { documents });
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect((await small.get('/v3/documents/d0')).status).toBe(404);
    expect((await small.post('/v3/documents/batch', { documents: documents.slice(0, 50) })).status).toBe(200);
  } finally {
    await small.stop();
  }
});

// Where the log is elsewhere, the disk of the data folder is not its disk.
if (areEmbedded('eventstore', 'nats')) {
  test('a batch during which the disk fills is answered with 503, and nothing of it is added', async () => {
    const disk = await SmallDisk.mount(48);
    if (disk === null) return;
    const folder = join(disk.folder, 'data');
    const full = await Mneme.start({ folder });
    try {
      await full.addAndWait('A first document, with enough space.', { customId: 'before' });
      disk.fill(3);
      // About 8 MB in all: the first items would have space.
      const documents = Array.from({ length: 400 }, (_, i) => ({
        content: `${i} ${'many words about wallabies '.repeat(800)}`,
        customId: `wallaby-${i}`,
      }));
      const before = { content: 'Added to the first one.', customId: 'before' };
      const refused = await full.post('/v3/documents/batch', { documents: [before, ...documents] });
      expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      disk.free();
      for (const i of [0, 1, 200, 399]) expect((await full.get(`/v3/documents/wallaby-${i}`)).status).toBe(404);
      expect((await full.get('/v3/documents/before')).body.content).toBe('A first document, with enough space.');
      const again = await full.post<{ success: number }>('/v3/documents/batch', { documents: documents.slice(0, 20) });
      expect(again).toMatchObject({ status: 200, body: { success: 20 } });
      expect((await full.settled('wallaby-19')).status).toBe('done');
    } finally {
      await full.kill('SIGTERM');
      await disk.unmount();
    }
  });
}
