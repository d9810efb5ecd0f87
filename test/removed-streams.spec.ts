import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { runMneme } from './support/command.ts';
import { EventStoreDbServer } from './support/eventstoredb/server.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** An operator removes streams of documents with EventStoreDB's own tools, on a server with the other engines embedded. */

let database: EventStoreDbServer;
let operator: EventStoreDBClient;
let mneme: Mneme;

beforeAll(async () => {
  database = await EventStoreDbServer.start();
  operator = EventStoreDBClient.connectionString(database.url);
  const separate = { MNEME_NATS_URL: undefined, MNEME_OPENSEARCH_URL: undefined };
  mneme = await Mneme.start({ env: { MNEME_EVENTSTORE_URL: database.url, ...separate } });
});
afterAll(async () => {
  await mneme.stop();
  await operator.dispose();
  await database.stop();
});

const LONG = 'The wombat digs a tunnel under the fence. '.repeat(1_500);

const streamOf = (id: string): string =>
  database.log.all.find(({ stream }) => stream.startsWith('document-') && stream.endsWith(`_${id}`))?.stream ?? '';

async function found(): Promise<string[]> {
  const { body } = await mneme.post<{ results: { documentId: string }[] }>('/v3/search', { q: 'wombat tunnel' });
  return body.results.map(({ documentId }) => documentId);
}

const statusOf = async (method: string, name: string) =>
  (await mneme.request(method, `/v3/documents/${encodeURIComponent(name)}`)).status;

test('a document whose stream was tombstoned or soft-deleted counts as erased', async () => {
  const kept = await mneme.addAndWait('A wombat sleeps in its tunnel.', { containerTag: 'zoo' });
  const names = ['tombstoned', 'soft-deleted', 'added again'] as const;
  const ids: string[] = [];
  for (const customId of names)
    ids.push(await mneme.addAndWait(`${LONG} ${customId}`, { customId, containerTag: 'zoo' }));
  const [tombstoned, softDeleted, addedAgain] = ids as [string, string, string];
  const streams = ids.map(streamOf);
  const blobs = ids.map((id, i) =>
    join(mneme.folder, 'blobs', streams[i]?.slice('document-'.length, -id.length - 1) ?? '', id),
  );
  expect(blobs.map((folder) => existsSync(folder))).toEqual([true, true, true]);

  await operator.tombstoneStream(streamOf(tombstoned));
  await operator.deleteStream(streamOf(softDeleted));
  await operator.tombstoneStream(streamOf(addedAgain));
  for (const name of [...ids, ...names]) expect(await statusOf('GET', name)).toBe(404);

  await eventually(async () => {
    const { body } = await mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', {});
    return body.pagination.totalItems === 1 ? true : null;
  });
  expect(new Set(await found())).toEqual(new Set([kept]));
  await eventually(async () => (blobs.some((folder) => existsSync(folder)) ? null : true));

  for (const name of [tombstoned, 'soft-deleted']) {
    expect([await statusOf('DELETE', name), await statusOf('DELETE', name)]).toEqual([204, 404]);
  }
  for (const [i, customId] of names.entries()) {
    const next = await mneme.addAndWait(`A new wombat is ${customId}.`, { customId, containerTag: 'zoo' });
    expect(next).not.toBe(ids[i]);
    expect((await mneme.get(`/v3/documents/${encodeURIComponent(customId)}`)).body.id).toBe(next);
  }
  expect(new Set(await found()).size).toBe(4);

  const env = { MNEME_EMBEDDING: 'off', MNEME_EVENTSTORE_URL: database.url };
  const doctor = await runMneme(['doctor'], { folder: mneme.folder, env });
  const verified = await runMneme(['replay', '--verify'], { folder: mneme.folder, env });
  expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('No difference: 4 documents') });
  for (const stream of streams) {
    expect(doctor.out).toContain(stream);
    expect(verified.out).toContain(stream);
  }
});
