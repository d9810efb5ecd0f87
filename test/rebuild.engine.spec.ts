import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { addressOf } from './support/addresses.ts';
import { Cluster, TcpProxy } from './support/cluster.ts';
import { keepChanging } from './support/keep-changing.ts';
import { eventually, type Mneme } from './support/mneme.ts';

/** Rebuilds of the views in OpenSearch: one at a time, and the indices of a killed rebuild are removed. */

const openSearchUrl = () => addressOf('MNEME_TEST_OPENSEARCH_URL');
/** Matches index names of rebuilds, unfinished or finished. */
const OF_REBUILD = /-rebuild-/;

let cluster: Cluster;
let proxy: TcpProxy;
let api: Mneme;
const rebuilds: ChildProcess[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-rebuild-'));
  proxy = await TcpProxy.start(openSearchUrl());
  cluster = await Cluster.start();
  api = await cluster.start('api');
  await cluster.start('worker');
  await api.addAndWait('The numbat sleeps.');
});
afterEach(async () => {
  for (const rebuild of rebuilds.splice(0)) await kill(rebuild);
});
afterAll(async () => {
  await proxy.cut();
  await cluster.stop();
  await rm(folder, { recursive: true });
});

/** Of the views. */
async function indices(): Promise<string[]> {
  const answer = await fetch(`${openSearchUrl()}/_cat/indices/${cluster.prefix}-*?format=json&h=index`);
  const names = ((await answer.json()) as { index: string }[]).map(({ index }) => index);
  return names.filter((name) => !name.startsWith(`${cluster.prefix}-analytics-`)).sort();
}

/** Starts a rebuild that creates its indices and then loses OpenSearch before it fills them. */
async function startRebuild(): Promise<ChildProcess> {
  await proxy.open();
  const cut = proxy.cutAt('/_bulk');
  const program = resolve(import.meta.dirname, '../bin/mneme.js');
  const env = { PATH: process.env.PATH, ...cluster.env, MNEME_EMBEDDING: 'off', MNEME_OPENSEARCH_URL: proxy.url };
  const rebuild = spawn(process.execPath, [program, 'replay', '--data', folder], { env, stdio: 'ignore' });
  rebuilds.push(rebuild);
  await cut;
  return rebuild;
}

async function kill(rebuild: ChildProcess): Promise<void> {
  if (rebuild.exitCode !== null || rebuild.signalCode !== null) return;
  rebuild.kill('SIGKILL');
  await once(rebuild, 'exit');
}

const finds = async (q: string) => (await api.post<{ results: unknown[] }>('/v3/search', { q })).body.results?.length;

test('a second rebuild is refused while the first runs, and succeeds after the first was killed', async () => {
  const before = await indices();
  const rebuild = await startRebuild();
  const during = await indices();
  expect(during.length).toBeGreaterThan(before.length);
  expect(await cluster.cli('replay')).toMatchObject({
    code: 1,
    err: 'The views are being rebuilt already, by another process\n',
  });
  expect(await indices()).toEqual(expect.arrayContaining(during));

  await kill(rebuild);
  expect(await cluster.cli('replay', '--verify')).toMatchObject({ code: 0 });
  expect((await indices()).filter((index) => OF_REBUILD.test(index))).toEqual([]);
  expect(await cluster.cli('replay')).toMatchObject({ code: 0 });
  // The serving indices have the name of their rebuild, and no others exist.
  const rebuilds = new Set((await indices()).map((index) => /-rebuild-[^-]+/.exec(index)?.[0]));
  expect([...rebuilds]).toEqual([expect.any(String)]);
  expect(await finds('numbat')).toBe(1);
});

test('no answer lags behind what was acknowledged while rebuilt views take over', async () => {
  const changing = keepChanging(api);
  for (let i = 0; i < 2; i += 1) expect(await cluster.cli('replay')).toMatchObject({ code: 0 });
  expect(await changing.stop()).toBeGreaterThan(5);
});

test('a worker that starts the projection removes the indices of a killed rebuild', async () => {
  const serving = await indices();
  await kill(await startRebuild());
  expect((await indices()).length).toBeGreaterThan(serving.length);
  const [, worker] = cluster.processes as [Mneme, Mneme];
  await worker.kill('SIGKILL');
  await cluster.start('worker');
  await eventually(async () => ((await indices()).length === serving.length ? true : null), 60_000);
  expect(await indices()).toEqual(serving);
  await api.addAndWait('A quokka smiles.');
  expect(await finds('quokka')).toBe(1);
});
