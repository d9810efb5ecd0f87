import { Cluster } from './support/cluster.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** API processes and workers on distributed engines. */

let cluster: Cluster;

beforeAll(async () => {
  const eventStoreUrl = process.env.MNEME_TEST_EVENTSTORE_URL;
  cluster = await Cluster.start(eventStoreUrl ? { env: { MNEME_EVENTSTORE_URL: eventStoreUrl } } : {});
});
afterAll(() => cluster.stop());

const finds = async (mneme: Mneme, q: string) => {
  const { body } = await mneme.post<{ results: unknown[] }>('/v3/search', { q });
  return body.results?.length ?? 0;
};

test('an API process accepts adds without a worker, workers can be replaced, and the views can be rebuilt', async () => {
  const [api, other] = await Promise.all([cluster.start('api'), cluster.start('api')]);
  const id = await api.add('The echidna counts ants.', { customId: 'first' });
  expect((await other.get('/v3/documents/first')).body).toMatchObject({ id, status: 'queued' });

  const worker = await cluster.start('worker');
  expect((await worker.get('/v3/health')).body).toMatchObject({ status: 'ok', role: 'worker' });
  expect((await worker.get('/v3/documents/first')).status).toBe(404);
  await api.settled(id);
  expect(await finds(other, 'echidna')).toBe(1);

  await worker.kill('SIGKILL');
  const second = await other.add('A numbat came by.');
  await cluster.start('worker');
  // The leases of the dead worker expire within 10 s; its work is redelivered after 30 s.
  const done = async () => ((await api.get(`/v3/documents/${second}`)).body.status === 'done' ? true : null);
  await eventually(done, 150_000);
  expect(await finds(api, 'numbat')).toBe(1);

  expect(await cluster.cli('replay', '--verify')).toMatchObject({
    code: 0,
    out: expect.stringContaining('No difference: 2'),
  });
  expect(await cluster.cli('replay')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Views rebuilt: 2 documents'),
  });
  expect(await finds(api, 'numbat')).toBe(1);
  // The worker continues on the new views.
  expect((await api.request('DELETE', `/v3/documents/${second}`)).status).toBe(204);
  expect(await finds(other, 'numbat')).toBe(0);
  const third = await api.addAndWait('A quokka smiles.');
  expect(await finds(other, 'quokka')).toBe(1);

  const events = await cluster.cli('events', '--document', second);
  expect(events.out).toMatch(/DocumentAdded[\s\S]*DocumentDeleted/);
  expect(events.out).not.toContain('numbat');
  await eventually(async () => ((await cluster.cli('doctor', '--json')).code === 0 ? true : null));
  expect((await cluster.cli('doctor')).out).toMatch(/OpenSearch 3[\s\S]*up with the log/);
  expect(third).toMatch(/^[A-Za-z0-9]{22}$/);
});

test('requests to several API processes change one document', async () => {
  const [api, other] = await Promise.all([cluster.start('api'), cluster.start('api')]);
  await cluster.start('worker');
  const retry = { 'x-stainless-retry-count': '1' };
  const texts = Array.from({ length: 20 }, (_, i) => `Entry ${i} is about ${'abcdefghij'[i % 10]?.repeat(i + 5)}.`);
  const added = await Promise.all(
    texts.map((content, i) => [api, other][i % 2]?.post('/v3/documents', { content, customId: 'shared' })),
  );
  expect(added.map((answer) => answer?.status)).toEqual(texts.map(() => 200));
  const { id, content } = await api.settled('shared');
  expect((content as string).split('\n').sort()).toEqual(texts.sort());

  await api.post('/v3/documents', { content: 'Said once.', customId: 'shared' });
  await other.post('/v3/documents', { content: 'Said once.', customId: 'shared' }, retry);
  expect((await api.settled('shared')).content).toBe(`${content}\nSaid once.`);
  const once = { content: 'Added once.', containerTag: 'once' };
  const first = (await api.post('/v3/documents', once)).body.id;
  expect((await other.post('/v3/documents', once, retry)).body.id).toBe(first);
  const twice = { documents: ['Said twice.', 'Said twice.'], containerTag: 'once' };
  const addTwice = async (mneme: Mneme, headers: Record<string, string> = {}) => {
    const { body } = await mneme.post<{ results: { id: string }[] }>('/v3/documents/batch', twice, headers);
    return body.results.map((result) => result.id);
  };
  const pair = await addTwice(api);
  expect(new Set(pair).size).toBe(2);
  expect(await addTwice(other, retry)).toEqual(pair);

  const changes = { content: 'A bilby digs.', customId: 'renamed', containerTags: ['den'] };
  expect((await other.request('PATCH', '/v3/documents/shared', changes)).body).toEqual({ id, status: 'queued' });
  expect(await api.settled('renamed')).toMatchObject({ ...changes, id });
  expect((await api.get('/v3/documents/shared')).status).toBe(404);
  expect(await finds(api, 'Entry')).toBe(0);
  expect(await finds(other, 'bilby')).toBe(1);

  const form = new FormData();
  form.append('file', new Blob(['The dingo howls.']), 'dingo.txt');
  form.append('customId', 'file');
  await api.request('POST', '/v3/documents/file', form);
  await other.post('/v3/documents', { content: 'A second dingo answers.', customId: 'file' });
  const both = { content: 'The dingo howls.\nA second dingo answers.', title: 'dingo.txt', status: 'done' };
  await api.settled('file');
  expect(await other.settled('file')).toMatchObject(both);
});

test('a bulk deletion is carried out by a worker, and gone from every API process when it is answered', async () => {
  const [api, other] = await Promise.all([cluster.start('api'), cluster.start('api')]);
  const bulk = { containerTags: ['bulk'] };
  await Promise.all(Array.from({ length: 60 }, (_, i) => api.add(`Bandicoot ${i}.`, { containerTag: 'bulk' })));
  const answer = api.request('DELETE', '/v3/documents/bulk', bulk);
  await cluster.start('worker');
  const totals = { success: true, deletedCount: 60, containerTags: ['bulk'] };
  expect(await answer).toMatchObject({ status: 200, body: totals });
  for (const one of [api, other]) {
    expect(await finds(one, 'bandicoot')).toBe(0);
    expect((await one.post('/v3/documents/list', bulk)).body).toMatchObject({ memories: [] });
  }
  expect((await cluster.cli('doctor')).out).toMatch(/bulk deletions\s+none runs/);
});
