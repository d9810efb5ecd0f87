import { openNatsBlobs } from '#blobs';
import { documentStream } from '#documents';
import { blobStreamKeys } from '#event-store';
import { connectNats } from '#nats';
import { addressOf } from './support/addresses.ts';
import { Cluster } from './support/cluster.ts';
import { eventually } from './support/mneme.ts';

/** Lost blobs and stream keys affect only the documents that they belong to. */

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster.stop());

test('documents with lost blobs or keys are reported as failed, listed, and deletable', async () => {
  const [api, worker] = [await cluster.start('api'), await cluster.start('worker')];
  const long = await api.addAndWait(`${'Kettles are kept warm. '.repeat(3_000)} The last one whistles.`);
  const sealed = await api.addAndWait('The sealed kettle.', { metadata: { a: 1 }, customId: 'sealed' });
  const other = await api.addAndWait('The open kettle.');
  const { body } = await api.get<{ org: { id: string } }>('/v3/session');
  // Running processes would serve the lost data from memory.
  for (const one of [api, worker]) await one.kill('SIGTERM');

  const connection = await connectNats({ url: addressOf('MNEME_TEST_NATS_URL'), name: 'test' });
  const blobs = await openNatsBlobs({ connection, bucket: `${cluster.prefix}-blobs` });
  await blobs.deletePrefix(`${body.org.id}/${long}/`);
  const keys = blobStreamKeys(await openNatsBlobs({ connection, bucket: `${cluster.prefix}-keys` }));
  await keys.destroy(documentStream(body.org.id, sealed));
  await connection.close();

  const [again] = [await cluster.start('api'), await cluster.start('worker')];
  expect(await cluster.cli('replay')).toMatchObject({ code: 0 });
  const letters = await cluster.cli('dead-letters', 'list');
  for (const id of [long, sealed]) expect(letters.out).toMatch(new RegExp(`${id} .*content_missing.*failed 1 times`));
  expect((await cluster.cli('doctor')).out).toMatch(/failed documents\s+2/);
  const { out } = await cluster.cli('dead-letters', 'retry', '--json');
  expect(out).toContain(long);
  expect(out).not.toContain(sealed);
  expect(await cluster.cli('dead-letters', 'retry', sealed)).toMatchObject({
    code: 1,
    err: `The document ${sealed} cannot be read, for the key that it is sealed with is gone\n`,
  });
  // A retry fails again.
  await eventually(async () => {
    const { status, body: document } = await again.get(`/v3/documents/${long}`);
    expect(status).toBe(200);
    return document.status === 'failed' ? true : null;
  });
  for (const id of [long, sealed]) {
    expect((await again.get(`/v3/documents/${id}`)).body).toMatchObject({ id, status: 'failed', content: null });
  }
  expect((await again.get('/v3/documents/sealed')).body).toMatchObject({ id: sealed, status: 'failed' });
  const history = await again.get<{ events: { type: string }[] }>('/v3/documents/sealed/events');
  expect([history.status, history.body.events[0]?.type]).toEqual([200, 'DocumentAdded']);
  const listed = async () => {
    const { status, body: list } = await again.post<{ memories: { id: string }[] }>('/v3/documents/list', {
      includeContent: true,
    });
    expect(status).toBe(200);
    return list.memories.map(({ id }) => id).sort();
  };
  expect(await listed()).toEqual([long, sealed, other].sort());
  const found = await again.post<{ results: { documentId: string }[] }>('/v3/search', { q: 'kettle' });
  expect(found.body.results.map(({ documentId }) => documentId)).toEqual([other]);

  for (const name of [long, 'sealed']) {
    expect((await again.request('DELETE', `/v3/documents/${name}`)).status).toBe(204);
    expect((await again.get(`/v3/documents/${name}`)).status).toBe(404);
    expect((await again.request('DELETE', `/v3/documents/${name}`)).status).toBe(404);
  }
  expect((await again.get(`/v3/documents/${sealed}`)).status).toBe(404);
  await eventually(async () => ((await listed()).join() === other ? true : null));
  const after = await again.addAndWait('It goes on.');
  expect(await listed()).toEqual([other, after].sort());
}, 180_000);
