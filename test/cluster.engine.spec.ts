import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { removeOpenSearchViews } from '#views';
import { EventStoreDbServer } from './support/eventstoredb/server.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** Processes for the API and for the work behind it, on distributed engines. */

function addressOf(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`This test needs ${variable}: the address of a running server`);
  return url;
}

const openSearchUrl = addressOf('MNEME_TEST_OPENSEARCH_URL');
const prefix = `t${randomBytes(6).toString('hex')}`;
let log: EventStoreDbServer | null = null;
let env: Record<string, string>;
const processes: Mneme[] = [];

beforeAll(async () => {
  const eventStoreUrl = process.env.MNEME_TEST_EVENTSTORE_URL;
  if (!eventStoreUrl) log = await EventStoreDbServer.start({ port: 0 });
  env = {
    MNEME_EVENTSTORE_URL: eventStoreUrl ?? (log as EventStoreDbServer).url,
    MNEME_NATS_URL: addressOf('MNEME_TEST_NATS_URL'),
    MNEME_OPENSEARCH_URL: openSearchUrl,
    MNEME_PREFIX: prefix,
  };
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await log?.stop();
  await removeOpenSearchViews({ url: openSearchUrl, prefix });
});

async function start(role: string): Promise<Mneme> {
  const started = await Mneme.start({ env: { ...env, MNEME_ROLE: role } });
  processes.push(started);
  return started;
}

async function cli(...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-cluster-'));
  const settings = { PATH: process.env.PATH, MNEME_DATA: folder, MNEME_EMBEDDING: 'off', ...env };
  const program = resolve(import.meta.dirname, '../bin/mneme.js');
  try {
    return await new Promise((done) => {
      execFile(process.execPath, [program, ...args], { env: settings }, (error, out, err) =>
        done({ code: Number(error?.code ?? 0), out, err }),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const finds = async (mneme: Mneme, q: string) => {
  const { body } = await mneme.post<{ results: unknown[] }>('/v3/search', { q });
  return body.results?.length ?? 0;
};

test('an API process accepts while no worker lives, workers come and go, and the views can be made anew', async () => {
  const [api, other] = await Promise.all([start('api'), start('api')]);
  const id = await api.add('The echidna counts ants.', { customId: 'first' });
  expect((await other.get('/v3/documents/first')).body).toMatchObject({ id, status: 'queued' });

  const worker = await start('worker');
  expect((await worker.get('/v3/health')).body).toMatchObject({ status: 'ok', role: 'worker' });
  expect((await worker.get('/v3/documents/first')).status).toBe(404);
  await api.settled(id);
  expect(await finds(other, 'echidna')).toBe(1);

  await worker.kill('SIGKILL');
  const second = await other.add('A numbat came by.');
  await start('worker');
  // The dead worker's leases run out within ten seconds, and what it may have been handed is handed out again after thirty.
  const done = async () => ((await api.get(`/v3/documents/${second}`)).body.status === 'done' ? true : null);
  await eventually(done, 150_000);
  expect(await finds(api, 'numbat')).toBe(1);

  expect(await cli('replay', '--verify')).toMatchObject({ code: 0, out: expect.stringContaining('No difference: 2') });
  expect(await cli('replay')).toMatchObject({
    code: 0,
    out: expect.stringContaining('The views are new: 2 documents'),
  });
  expect(await finds(api, 'numbat')).toBe(1);
  // The worker goes on with the new views.
  expect((await api.request('DELETE', `/v3/documents/${second}`)).status).toBe(204);
  expect(await finds(other, 'numbat')).toBe(0);
  const third = await api.addAndWait('A quokka smiles.');
  expect(await finds(other, 'quokka')).toBe(1);

  const events = await cli('events', '--document', second);
  expect(events.out).toMatch(/DocumentAdded[\s\S]*DocumentDeleted/);
  expect(events.out).not.toContain('numbat');
  await eventually(async () => ((await cli('doctor', '--json')).code === 0 ? true : null));
  expect((await cli('doctor')).out).toMatch(/OpenSearch 3[\s\S]*up with the log/);
  expect(third).toMatch(/^[A-Za-z0-9]{22}$/);
}, 300_000);
