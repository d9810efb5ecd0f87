import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { embeddedTexts } from '#features/vector-spaces/model';
import type { OrganizationId } from '#platform/kernel';
import { connectNats } from '#platform/nats';
import { bgeSmallEn, e5SmallV2, miniLmL6 } from '#ports/models';
import { openNatsVectorStore } from '#ports/vector-store';
import { addressOf } from './support/addresses.ts';
import { Cluster } from './support/cluster.ts';
import type { Mneme } from './support/mneme.ts';
import { addFarm, allModels, ask, COWS, expectSingleSwitch, keepAsking, serves } from './support/vector-space.ts';

/** A change of the model in a cluster: every process switches without a restart. */

const PROGRAM = resolve(import.meta.dirname, '../bin/mneme.js');

const { env, missing } = await allModels();
const withModels = missing === null ? describe : describe.skip;

withModels(`another model in a cluster${missing === null ? '' : ` (SKIPPED: ${missing})`}`, () => {
  let cluster: Cluster;
  let api: Mneme;
  let other: Mneme;
  let worker: Mneme;
  beforeAll(async () => {
    cluster = await Cluster.start({ env });
    [api, other] = await Promise.all([cluster.start('api'), cluster.start('api')]);
    [worker] = await Promise.all([cluster.start('worker'), cluster.start('worker')]);
    await Promise.all([serves(api, e5SmallV2), serves(other, e5SmallV2)]);
    await addFarm(api, 30);
  });
  afterAll(() => cluster.stop());

  const rebuild = (name: string) => cluster.cli('rebuild', '--vector-space', name);

  /** Starts the command and returns its process after the first vectors. */
  async function running(name: string, folder: string): Promise<ChildProcess> {
    const settings = { PATH: process.env.PATH, MNEME_DATA: folder, ...cluster.env };
    const command = spawn(process.execPath, [PROGRAM, 'rebuild', '--vector-space', name, '--json'], {
      env: settings,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: command.stdout })) if (JSON.parse(line).vectors > 0) break;
    return command;
  }

  test('serves in every process at the same time, also after a killed command', async () => {
    const before = await ask(api, 'farm');
    expect(before[0]?.memory).toBe(COWS);
    const folder = await mkdtemp(join(tmpdir(), 'mneme-space-'));
    const killed = await running(bgeSmallEn.name, folder);
    const gone = once(killed, 'exit');
    killed.kill('SIGKILL');
    await gone;
    await rm(folder, { recursive: true });
    expect(await ask(api, 'farm')).toEqual(before);

    // Workers embed in both spaces, because the second space is still being built.
    await api.addAndWait('A visitor brought a jar of honey.', { containerTag: 'guests' });
    const [here, there] = [keepAsking(api), keepAsking(other)];
    expect(await rebuild(bgeSmallEn.name)).toMatchObject({
      code: 0,
      out: `${bgeSmallEn.space.name} serves; every document has vectors.\n`,
    });
    await Promise.all([serves(api, bgeSmallEn), serves(other, bgeSmallEn)]);
    const after = await ask(api, 'farm');
    expect(after[0]?.memory).toBe(COWS);
    for (const one of [here, there]) expectSingleSwitch(await one.stop(), before, after);

    await api.addAndWait('A guest left a pot of jam.', { containerTag: 'guests' });
    const guests = await ask(other, 'guests', 'sweet presents');
    expect(guests.map(({ cosine }) => cosine !== null)).toEqual([true, true]);
    expect(await cluster.cli('replay', '--verify')).toMatchObject({
      code: 0,
      out: expect.stringContaining('No difference'),
    });
    const third = await cluster.start('api');
    await serves(third, bgeSmallEn);
    expect(await ask(third, 'farm')).toEqual(after);

    // Switches back while a worker dies.
    const back = rebuild(e5SmallV2.name);
    await worker.kill();
    expect((await back).code).toBe(0);
    await Promise.all([api, other, third].map((one) => serves(one, e5SmallV2)));
    expect(await ask(other, 'farm')).toEqual(before);
  });

  test('removes the vectors of a deleted document from every space', async () => {
    const text = 'The falcon hatched on the cathedral.';
    const id = await api.addAndWait(text);
    const { body } = await api.get<{ search: { model: string } }>('/v3/health');
    expect((await rebuild(miniLmL6.name)).code).toBe(0);
    const [added] = (await cluster.cli('events', '--document', id, '--json')).out.split('\n');
    const { organization } = JSON.parse(added as string) as { organization: string };
    const connection = await connectNats({ url: addressOf('MNEME_TEST_NATS_URL'), name: 'test' });
    const cache = await openNatsVectorStore({ connection, bucket: `${cluster.prefix}-vectors` });
    const units = [{ id: 'm', kind: 'memory', ordinal: 0, text, speaker: null } as const];
    const keys = [body.search.model, miniLmL6.space.name].flatMap((space) => [
      ...embeddedTexts(space, { organization: organization as OrganizationId, unitsDate: null }, units).passages.keys(),
    ]);
    const held = async () => (await cache.get(keys)).map((vector) => vector !== null);
    expect(await held()).toEqual([true, true]);
    expect((await api.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
    expect(await held()).toEqual([false, false]);
    await cache.close();
    await connection.close();
  });
});
