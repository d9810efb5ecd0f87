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
}, 300_000);
