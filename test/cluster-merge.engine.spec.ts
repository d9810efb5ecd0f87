import { Cluster } from './support/cluster.ts';
import { eventually, whileItLasts } from './support/mneme.ts';

/** A merge of container tags that one API process accepts, another one has to respect, and a worker carries out. */

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster.stop());

test('a merge locks its sources on every API process, and moves what another process added until then', async () => {
  const [api, other] = await Promise.all([cluster.start('api'), cluster.start('api')]);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => api.add(`Echidna ${i} counts ants.`, { containerTag: 'source' })),
  );
  await cluster.start('worker');
  const counted = async (tag: string) => {
    const { status, body } = await other.post('/v3/documents/list', { containerTags: [tag], limit: 1 });
    // Until the worker has made the views, no list can be answered.
    return status === 200 ? (body.pagination as { totalItems: number }).totalItems : null;
  };
  await eventually(async () => ((await counted('source')) === 20 ? true : null));

  const queued = await api.post('/v3/container-tags/merge', {
    containerTags: ['source'],
    targetContainerTag: 'target',
  });
  expect(queued.status).toBe(202);
  let accepted = 0;
  await whileItLasts(async () => {
    const { status } = await other.post('/v3/documents', { content: 'A numbat came by.', containerTag: 'source' });
    if (status === 200) accepted += 1;
    return status === 409 ? true : null;
  });
  const merge = `/v3/container-tags/merge/${queued.body.mergeId}`;
  await eventually(async () => ((await other.get(merge)).body.status === 'completed' ? true : null));
  expect([await counted('source'), await counted('target')]).toEqual([0, 20 + accepted]);
  const { body } = await other.get<{ containerTag: string }[]>('/v3/container-tags/list');
  expect(body.map(({ containerTag }) => containerTag)).toEqual(['target']);
});
