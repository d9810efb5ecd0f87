import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areEmbedded, endEngines, engineSettings } from './support/combinations.ts';
import { runMneme } from './support/command.ts';
import { EventStoreDbServer } from './support/eventstoredb/server.ts';
import { inParallel } from './support/load.ts';
import { eventually, Mneme } from './support/mneme.ts';

/**
 * The event log is restored from an older copy, while everything else stays as it is: on embedded engines, on EventStoreDB, and
 * in engine tests on EventStoreDB with NATS and OpenSearch.
 */

interface Log {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Copies the log. The server is stopped. */
  copy(): Promise<void>;
  /** Puts the copy in the place of the log. */
  restore(): Promise<void>;
}

const TAG = 'harbour';
const LONG = 'The pilot boards the ship outside of the harbour. '.repeat(800);
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

let mneme: Mneme;
let folder: string;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-older-'));
});
afterEach(async () => {
  await mneme.kill('SIGTERM');
  for (const close of closing.splice(0)) await close();
  await endEngines(folder);
  await rm(folder, { recursive: true });
});

/** The name and id of each document. */
async function addAll(names: readonly number[], content = ''): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  await inParallel(names, 8, async (n) => {
    const text = `Boat ${n} is moored at berth b${n}q. ${content}`;
    ids.set(`boat-${n}`, await mneme.addAndWait(text, { customId: `boat-${n}`, containerTag: TAG }));
  });
  return ids;
}

async function listed(): Promise<string[]> {
  const { status, body } = await mneme.post<{ memories: { customId: string }[] }>('/v3/documents/list', { limit: 200 });
  expect(status).toBe(200);
  return body.memories.map(({ customId }) => customId).sort();
}

/** Documents of which a search for their own word finds something, and of which there are memories. */
async function found(
  names: readonly string[],
): Promise<{ readonly searched: string[]; readonly remembered: string[] }> {
  const searched: string[] = [];
  const { body } = await mneme.post<{ memoryEntries: { memory: string }[] }>('/v4/memories/list', {
    ...{ containerTags: [TAG], limit: 200 },
  });
  const memories = body.memoryEntries.map(({ memory }) => memory);
  const remembered: string[] = [];
  for (const name of names) {
    const word = `b${name.slice('boat-'.length)}q`;
    const { body: answer } = await mneme.post<{ results: { documentId: string; content?: string }[] }>('/v3/search', {
      ...{ q: word, containerTags: [TAG], onlyMatchingChunks: true },
    });
    if (JSON.stringify(answer.results).includes(word)) searched.push(name);
    if (memories.some((memory) => memory.includes(word))) remembered.push(name);
  }
  return { searched, remembered };
}

const rebuilt = () =>
  eventually(async () => {
    const { body } = await mneme.get<{ status: string; views: { rebuilding: boolean } }>('/v3/health');
    return body.status === 'ok' && !body.views.rebuilding ? body : null;
  });

async function cursor(env: Log['env']): Promise<string> {
  const { out } = await cli(env, 'events', 'export', '--types', 'DocumentAdded');
  return (JSON.parse(out.trim().split('\n').at(-1) as string) as { position: string }).position;
}

async function hasBlobs(id: string): Promise<boolean> {
  if (!areEmbedded('nats')) return true;
  const organizations = await readdir(join(folder, 'blobs'));
  return organizations.some((organization) => existsSync(join(folder, 'blobs', organization, id)));
}

async function embedded(): Promise<Log> {
  const copy = await mkdtemp(join(tmpdir(), 'mneme-copy-'));
  closing.push(() => rm(copy, { recursive: true }));
  const [log, kept] = [join(folder, 'events.db'), join(copy, 'events.db')];
  return { env: {}, copy: () => copyFile(log, kept), restore: () => copyFile(kept, log) };
}

/** A database in this process. */
async function distributed(): Promise<Log & { readonly database: EventStoreDbServer }> {
  const database = await EventStoreDbServer.start();
  closing.push(() => database.stop());
  let copy: ReturnType<typeof database.log.copy> = [];
  return {
    database,
    env: { MNEME_EVENTSTORE_URL: database.url },
    copy: async () => {
      copy = database.log.copy();
    },
    restore: async () => {
      await database.stop();
      database.log.restore(copy);
      await database.start();
    },
  };
}

const start = (env: Log['env']) => Mneme.start({ folder, env: { MNEME_LOG_LEVEL: 'info', ...env } });
const said = (text: string) => mneme.output.some((line) => line.includes(text));
const cli = async (env: Log['env'], ...args: readonly string[]) =>
  runMneme(args, { folder, env: { MNEME_EMBEDDING: 'off', ...(await engineSettings(folder)), ...env } });

const STORIES = [
  ['events.db', embedded, 12],
  // The keys of the deleted ones are destroyed.
  ['EventStoreDB', distributed, 9],
] as const;

test.each(areEmbedded() ? STORIES : STORIES.slice(1))(
  '%s: views follow the restored log, and documents that it lacks are neither shown nor destroyed',
  async (...its) => {
    const [, open, count] = its;
    const log = await open();
    mneme = await start(log.env);
    const first = await addAll(numbers(0, 12));
    await mneme.kill('SIGTERM');
    await log.copy();

    mneme = await start(log.env);
    const lost = await addAll(numbers(20, 7));
    for (const [name, id] of await addAll([39], LONG)) lost.set(name, id);
    const deleted = ['boat-3', 'boat-7', 'boat-11'];
    for (const name of deleted) expect((await mneme.request('DELETE', `/v3/documents/${name}`)).status).toBe(204);
    const position = await cursor(log.env);
    await mneme.kill('SIGTERM');
    await log.restore();

    expect((await cli(log.env, 'doctor')).out).toContain('follow from events that the event log does not hold');
    if (!areEmbedded()) await expectRefusals({ ...log.env, MNEME_ROLE: 'api' });
    mneme = await start(log.env);
    await rebuilt();
    expect(said('the views follow from events that the log does not hold')).toBe(true);
    expect(said('the views are rebuilt: ')).toBe(true);
    const there = [...first.keys()].filter((name) => count === 12 || !deleted.includes(name)).sort();
    expect(await listed()).toEqual(there);
    expect(await found([...first.keys(), ...lost.keys()].sort())).toEqual({ searched: there, remembered: there });
    for (const [name, id] of lost) {
      expect((await mneme.get(`/v3/documents/${name}`)).status).toBe(404);
      expect((await mneme.get(`/v3/documents/${id}`)).status).toBe(404);
    }
    expect(await mneme.get(`/v3/events?after=${position}`)).toMatchObject({ status: 400, body: { details: 'after' } });

    const long = lost.get('boat-39') as string;
    expect(await hasBlobs(long)).toBe(true);
    const doctor = await cli(log.env, 'doctor');
    expect(doctor).toMatchObject({
      code: 0,
      out: expect.stringMatching(/orphans +they are kept: another log is here since/),
    });
    expect(doctor.out).toContain('up with the log');
    const kept = await cli(log.env, 'orphans');
    expect(kept.out).toMatch(/^Documents that have files here and are not in the event log: 1, kept since \S+Z$/m);

    const added = await addAll(numbers(40, 5));
    expect(await listed()).toEqual([...there, ...added.keys()].sort());
    const names = [...added.keys()];
    expect(await found(names)).toEqual({ searched: names, remembered: names });
    for (const name of deleted) await addAll([Number(name.slice('boat-'.length))]);
    expect(await hasBlobs(long)).toBe(true);
    expect((await cli(log.env, 'orphans', '--remove')).out).toContain('They are removed by the garbage collection');
    expect((await cli(log.env, 'doctor')).out).toContain('they are removed within a day');

    // The next start finds nothing to rebuild.
    mneme = await mneme.restart();
    expect(said('the views follow from events')).toBe(false);
    expect((await listed()).length).toBe(new Set([...there, ...added.keys(), ...deleted]).size);
  },
);

/** Without a worker, nothing rebuilds the views, and none of the lost documents is shown. */
async function expectRefusals(env: Log['env']): Promise<void> {
  mneme = await start(env);
  const { status, body } = await mneme.post('/v3/documents/list', {});
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
  expect((await mneme.post('/v3/search', { q: 'b20q', containerTags: [TAG] })).status).toBe(503);
  expect((await mneme.get('/v3/health')).body.views).toEqual({ rebuilding: true });
  await mneme.kill('SIGTERM');
}

test('EventStoreDB: a running server whose log is replaced ends with a sentence', async () => {
  const log = await distributed();
  mneme = await start(log.env);
  const first = await addAll(numbers(0, 5));
  await log.copy();
  await addAll(numbers(5, 5));
  await log.restore();
  await eventually(async () => (mneme.running ? null : true));
  expect(await mneme.kill()).toBe(1);
  expect(said('Mneme ends: The event log was replaced, for example by an older copy, while this process ran.')).toBe(
    true,
  );
  mneme = await start(log.env);
  await rebuilt();
  expect(await listed()).toEqual([...first.keys()].sort());
});

test('EventStoreDB: documents that the restored log holds unfinished are processed', async () => {
  const log = await distributed();
  mneme = await start(log.env);
  await addAll(numbers(0, 3));
  const isAdded = ({ stream, type }: { stream: string; type: string }) =>
    stream.startsWith('document-') && type === 'DocumentAdded';
  const id = await mneme.add('Boat 3 is moored at berth b3q.', { customId: 'boat-3', containerTag: TAG });
  await mneme.settled(id);
  await mneme.kill('SIGTERM');
  const all = log.database.log.copy();
  const copy = all.slice(0, all.findLastIndex((event) => isAdded(event) && event.stream.endsWith(id)) + 1);
  await log.database.stop();
  log.database.log.restore(copy);
  await log.database.start();
  mneme = await start(log.env);
  expect((await mneme.settled(id)).status).toBe('done');
  expect((await found(['boat-3'])).searched).toEqual(['boat-3']);
});

test('EventStoreDB: 12 documents deleted since the copy stay deleted, and suspend no rebuild', async () => {
  const log = await distributed();
  mneme = await start(log.env);
  const all = await addAll(numbers(0, 15));
  await mneme.kill('SIGTERM');
  await log.copy();
  mneme = await start(log.env);
  const deleted = [...all.keys()].slice(0, 12);
  for (const name of deleted) expect((await mneme.request('DELETE', `/v3/documents/${name}`)).status).toBe(204);
  await mneme.kill('SIGTERM');
  await log.restore();
  mneme = await start(log.env);
  const health = await rebuilt();
  expect(health).toMatchObject({ contentLoss: null });
  expect(await listed()).toEqual([...all.keys()].slice(12).sort());
  for (const name of deleted) {
    expect((await mneme.get(`/v3/documents/${all.get(name)}`)).status).toBe(404);
    expect((await mneme.get(`/v3/documents/${name}`)).status).toBe(404);
  }
  const again = await addAll([Number(deleted[0]?.slice('boat-'.length))]);
  expect([...again.values()]).not.toEqual([all.get(deleted[0] as string)]);
});

if (areEmbedded()) {
  test.each(STORIES)('%s: everything older together is no other history', async (_name, open) => {
    const log = await open();
    mneme = await start(log.env);
    const first = await addAll(numbers(0, 5));
    await mneme.kill('SIGTERM');
    await log.copy();
    const copied = await mkdtemp(join(tmpdir(), 'mneme-copy-'));
    closing.push(() => rm(copied, { recursive: true }));
    await cp(folder, copied, { recursive: true });

    mneme = await start(log.env);
    await addAll(numbers(5, 5));
    await mneme.kill('SIGTERM');
    await rm(folder, { recursive: true });
    await cp(copied, folder, { recursive: true });
    await log.restore();
    mneme = await start(log.env);
    const added = await addAll([10]);
    expect(await listed()).toEqual([...first.keys(), ...added.keys()].sort());
    expect(said('the views follow from events')).toBe(false);
  });
}
