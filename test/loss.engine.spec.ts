import { documentStream } from '#features/documents';
import { connectNats } from '#platform/nats';
import { openNatsBlobs } from '#ports/blobs';
import { NatsStreamKeys } from '#ports/event-store';
import { addressOf } from './support/addresses.ts';
import { Cluster } from './support/cluster.ts';
import { askJetStream } from './support/jetstream-api.ts';
import { eventually, type Mneme } from './support/mneme.ts';
import { backUpStream, restoreStream } from './support/nats-backup.ts';

/** Lost blobs and stream keys affect only the documents that they belong to; a lost stream is an outage. */

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
  const blobs = await openNatsBlobs({ connection, bucket: `${cluster.prefix}-blobs`, mayCreate: false });
  await blobs.deletePrefix(`${body.org.id}/${long}/`);
  const keys = await NatsStreamKeys.open({ connection, bucket: `${cluster.prefix}-keys`, mayCreate: false });
  await keys.destroy(documentStream(body.org.id, sealed));
  // Without the record that it was destroyed, the key is lost.
  const purged = await askJetStream(connection, `$JS.API.STREAM.PURGE.${cluster.prefix}-keys`, {
    filter: `${cluster.prefix}-keys.d.>`,
  });
  expect(purged).toMatchObject({ success: true, purged: 1 });
  await connection.close();

  const [again] = [await cluster.start('api'), await cluster.start('worker')];
  const examined = await cluster.cli('doctor');
  expect(examined.code).toBe(1);
  expect(examined.out).toMatch(
    new RegExp(
      `FAILED +stored content +0 of [1-9] that 3 documents name are there; missing of ${long}; unreadable without their keys: ${sealed}`,
    ),
  );
  expect(await cluster.cli('backup', '/nowhere')).toEqual({
    ...{ code: 1, out: '', err: expect.stringContaining(`NATS (the streams ${cluster.prefix}-blobs and`) },
  });
  // A request records the loss once, before the views are rebuilt.
  for (let request = 0; request < 2; request += 1) {
    const lost = { status: 'failed', content: null, processingError: { code: 'content_missing' } };
    expect((await again.get(`/v3/documents/${long}`)).body).toMatchObject(lost);
  }
  expect(await cluster.cli('replay')).toMatchObject({ code: 0 });
  const failedOnce = (id: string) => new RegExp(`${id} .*content_missing.*failed 1 times`);
  await eventually(async () => {
    const { out } = await cluster.cli('dead-letters', 'list');
    return [long, sealed].every((id) => failedOnce(id).test(out)) ? true : null;
  });
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
});

interface Health {
  readonly status: string;
  readonly missing: readonly string[];
}

const missingIn = async (mneme: Mneme): Promise<Health> => (await mneme.get<Health>('/v3/health')).body;

test('a missing stream of blobs or keys is an outage, which ends when the stream is restored', async () => {
  const [api, worker] = [await cluster.start('api'), await cluster.start('worker')];
  const text = `${'Pans are kept cold. '.repeat(3_000)} The last one rattles.`;
  const before = await api.addAndWait(text);
  const connection = await connectNats({ url: addressOf('MNEME_TEST_NATS_URL'), name: 'test' });
  for (const name of [`${cluster.prefix}-blobs`, `${cluster.prefix}-keys`]) {
    const backup = await backUpStream(connection, name);
    await askJetStream(connection, `$JS.API.STREAM.DELETE.${name}`);
    for (const one of [api, worker]) {
      await eventually(async () => ((await missingIn(one)).missing.join() === name ? true : null));
      expect(await missingIn(one)).toMatchObject({ status: 'degraded', missing: [name] });
    }
    await eventually(async () =>
      (await api.post('/v3/documents', { content: 'A pan.' })).status === 503 ? true : null,
    );
    const { status, headers } = await api.post('/v3/documents', { content: 'A pan.' });
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    await expect(cluster.start('api')).rejects.toThrow(`The stream ${name} is missing on NATS`);
    // Nothing was created in its place.
    expect((await missingIn(api)).missing).toEqual([name]);

    await restoreStream(connection, backup);
    await eventually(async () => ((await missingIn(api)).status === 'ok' ? true : null));
    const after = await eventually(async () => {
      const { status: added, body } = await api.post<{ id: string }>('/v3/documents', { content: `${text} ${name}` });
      return added === 200 ? body.id : null;
    });
    for (const id of [before, after]) expect(await api.settled(id)).toMatchObject({ status: 'done' });
    expect((await api.get(`/v3/documents/${before}`)).body.content).toBe(text);
  }
  const name = `${cluster.prefix}-blobs`;
  await askJetStream(connection, `$JS.API.STREAM.DELETE.${name}`);
  expect(await cluster.cli('init')).toMatchObject({
    code: 0,
    out: `${name}  created, empty\n${cluster.prefix}-keys  exists\nStreams created: 1.\n`,
  });
  await connection.close();
  for (const one of [api, worker]) await one.kill('SIGTERM');
});
