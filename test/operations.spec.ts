import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ContentLosses } from '#features/documents';
import { createCommandHandler, createFoldCache, SqliteEventStore } from '#ports/event-store';
import { runMneme } from './support/command.ts';
import { keepChanging } from './support/keep-changing.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** The operator's commands, with and without a server on the data folder. */

const HOUR_MS = 3_600_000;
const PROGRAM = resolve(import.meta.dirname, '../bin/mneme.js');

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let folder: string;
let mneme: Mneme | null = null;

function cli(...args: string[]): Promise<Outcome> {
  const env = { PATH: process.env.PATH, MNEME_DATA: folder, MNEME_EMBEDDING: 'off' };
  return new Promise((done) => {
    execFile(process.execPath, [PROGRAM, ...args], { env }, (error, out, err) =>
      done({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}
/** Runs a command whose reader closes the pipe before it reads anything. */
async function cliUnread(...args: string[]): Promise<Omit<Outcome, 'out'>> {
  const env = { PATH: process.env.PATH, MNEME_DATA: folder, MNEME_EMBEDDING: 'off' };
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (data) => {
    err += data;
  });
  const [code] = await once(child, 'close');
  return { code, err };
}
const linesOf = ({ out }: Outcome): Record<string, unknown>[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const start = async () => {
  mneme = await Mneme.start({ folder });
  return mneme;
};
const stop = async () => {
  await mneme?.stop();
  mneme = null;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-operations-'));
});
afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true });
});

async function searchFor(server: Mneme, q: string): Promise<number> {
  const { body } = await server.post<{ results: unknown[] }>('/v3/search', { q });
  return body.results.length;
}

test('replay rebuilds the views of a running server, and no answer lags behind what was acknowledged', async () => {
  const server = await start();
  for (let i = 0; i < 60; i += 1) await server.add(`Wombat ${i} digs. ${'It is a long tunnel. '.repeat(30)}`);
  await server.addAndWait('The last wombat sleeps.');
  const verified = await cli('replay', '--verify', '--json');
  expect(verified).toMatchObject({ code: 0, err: '' });
  expect(linesOf(verified).at(-1)).toMatchObject({ phase: 'done', done: true, documents: 61, difference: null });
  const changing = keepChanging(server);
  for (let i = 0; i < 2; i += 1) {
    expect(await cli('replay')).toMatchObject({ code: 0, out: expect.stringContaining('Views rebuilt: ') });
  }
  expect(await changing.stop()).toBeGreaterThan(10);
  expect(await searchFor(server, 'wombat sleeps')).toBeGreaterThan(0);
  await stop();
  expect(await searchFor(await start(), 'wombat sleeps')).toBeGreaterThan(0);
});

test('replay --verify reports views that differ from the log, and replay repairs them', async () => {
  const server = await start();
  const id = await server.addAndWait('The echidna counts ants.');
  // Waits for the views, which would otherwise overwrite the damaged row.
  await server.post('/v3/documents/list', {});
  await stop();
  const harms = [
    ["UPDATE units SET text = 'Something else.' WHERE kind = 1", 'units.memory'],
    ['DELETE FROM chunk_entries', 'index.chunk'],
    ["UPDATE documents SET row = json_set(row, '$.title', 'x')", 'title'],
  ] as const;
  for (const [harm, field] of harms) {
    const views = new DatabaseSync(join(folder, 'views.db'));
    views.exec(harm);
    views.close();
    const verified = await cli('replay', '--verify', '--json');
    expect(verified.code).toBe(1);
    expect(linesOf(verified).at(-1)).toMatchObject({ difference: { documentId: id, field } });
    if (field === 'title') expect((await cli('replay', '--verify')).out).toContain(`Document ${id} differs in title:`);
    expect((await cli('replay')).code).toBe(0);
  }
  expect(await cli('replay', '--verify')).toMatchObject({ code: 0, out: expect.stringContaining('No difference') });
});

test('dead letters are listed with their reason and retried one by one or all at once', async () => {
  const server = await start();
  const id = await server.add('http://192.0.2.1/a', { customId: 'page' });
  await server.add('http://192.0.2.1/b');
  const failures = async () => {
    const lines = linesOf(await cli('dead-letters', 'list', '--json'));
    return lines.map(({ failures }) => failures as number);
  };
  await eventually(async () => ((await failures()).length === 2 ? true : null));
  expect((await cli('dead-letters', 'list')).out).toMatch(new RegExp(`${id} .*fetch_refused.*failed 1 times`));
  expect(await cli('dead-letters', 'retry', 'page')).toMatchObject({ code: 0, out: `${id} is queued\n` });
  await eventually(async () => ((await failures()).toSorted().join() === '1,2' ? true : null));
  await stop();
  expect(linesOf(await cli('dead-letters', 'retry', '--json'))).toHaveLength(2);
  expect(await cli('dead-letters', 'retry', id)).toMatchObject({
    code: 1,
    err: `The document ${id} has not failed; only failed documents can be retried\n`,
  });
  await start();
  await eventually(async () => ((await failures()).toSorted().join() === '2,3' ? true : null));
});

test('events are printed without content: of a deleted document, of the whole log, and new ones', async () => {
  const server = await start();
  const id = await server.addAndWait('A hidden quokka.', { customId: 'quokka' });
  await server.request('DELETE', `/v3/documents/${id}`);
  const ofDocument = await cli('events', '--document', id);
  expect(ofDocument.out).toMatch(/DocumentAdded.*by key:[\s\S]*DocumentDeleted/);
  const all = await cli('events', 'export');
  const events = linesOf(all);
  expect(all.out).not.toContain('quokka');
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['OrganizationFounded', 'KeyIssued', 'NameClaimed', 'DocumentAdded', 'DocumentDeleted']),
  );
  const position = events.findLast(({ type }) => type === 'DocumentAdded')?.position as string;
  const after = linesOf(await cli('events', 'export', '--after', position, '--types', 'DocumentAdded,DocumentDeleted'));
  expect(after.map(({ type }) => type)).toEqual(['DocumentDeleted']);
  expect(await cli('events', 'export', '--after', 'nowhere')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^nowhere is not the position of an event of this log/),
  });
  expect(await cli('events', '--document', 'nobody')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^There is no document/),
  });

  const tail = execFile(process.execPath, [PROGRAM, 'events', 'tail', '--after', position, '--json'], {
    env: { PATH: process.env.PATH, MNEME_DATA: folder },
  });
  let output = '';
  for await (const text of tail.stdout!) {
    if (output === '') await server.add('Another.');
    output += text;
    if (/"DocumentAdded"/.test(output)) break;
  }
  tail.kill('SIGTERM');
  expect(output).toContain('"DocumentDeleted"');
});

test('doctor reports the state, and a purge says that nothing is left to remove, with and without a server', async () => {
  const server = await start();
  await server.addAndWait('All is well.');
  const running = linesOf(await cli('doctor', '--json'));
  expect(running.filter(({ state }) => state === 'failed')).toEqual([]);
  expect(running[0]).toMatchObject({ name: 'server', detail: expect.stringContaining(`process ${server.pid}`) });
  expect(running.at(-1)).toMatchObject({ sound: true, node: process.versions.node });
  expect(JSON.stringify(running)).not.toContain('sm_test');
  // Nor has a purge anything to remove from embedded engines.
  const nothing = { code: 0, out: 'Nothing to remove: deleted rows are overwritten at once.\n', err: '' };
  expect(await cli('purge')).toEqual(nothing);
  await stop();
  expect(await cliUnread('doctor')).toEqual({ code: 0, err: '' });
  expect(await cliUnread('models')).toEqual({ code: 1, err: '' });
  const stopped = linesOf(await cli('doctor', '--json'));
  const NO_MODEL = 'without effect: embedding is switched off';
  expect(stopped.find(({ name }) => name === 'reranking')).toMatchObject({ state: 'ok', detail: NO_MODEL });
  expect(await cli('doctor')).toMatchObject({ code: 0, out: expect.stringContaining('none runs on') });
  expect(await cli('purge')).toEqual(nothing);
});

test('doctor reports lost content, and accepts the loss, with and without a server', async () => {
  await loseContent(Date.now());
  await start();
  const reported = { code: 1, out: expect.stringMatching(/^FAILED lost content .*more than 10 documents/m) };
  const accepted = { code: 0, out: expect.stringMatching(/^ok {5}lost content {6}accepted/m) };
  expect(await cli('doctor')).toMatchObject(reported);
  expect(await cli('doctor', '--accept-loss')).toMatchObject(accepted);
  expect(await cli('doctor')).toMatchObject({ code: 0, out: expect.not.stringContaining('accepted') });
  await stop();
  await loseContent(Date.now() + 2 * HOUR_MS);
  expect(await cli('doctor')).toMatchObject(reported);
  expect(await cli('doctor', '--accept-loss')).toMatchObject(accepted);
  expect(await cli('doctor')).toMatchObject({ code: 0 });
});

/** Records in the log of the folder that so many documents lack content that the views stop. */
async function loseContent(now: number): Promise<void> {
  const store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  try {
    const cache = createFoldCache({ characters: 10_000 });
    const losses = new ContentLosses(createCommandHandler({ store, clock: { now: () => now }, cache }));
    await expect(losses.admit(11, 'stages')).rejects.toMatchObject({ code: 'content_loss_suspended' });
  } finally {
    await store.close();
  }
}

test.each([
  ['e5-small-v2-q', { MNEME_EMBEDDING: 'off' }, 'MNEME_EMBEDDING is off. Set it to local.'],
  [
    'multilingual-e5-small-q',
    { MNEME_EMBEDDING: 'local', MNEME_LANGUAGES: 'en' },
    'MNEME_LANGUAGES is en. Set it to auto, or embed all documents in this space with --all-languages.',
  ],
])('a rebuild towards a space of %s that the settings do not serve does nothing', async (model, env, reason) => {
  const refused = {
    ...{ code: 1, out: '' },
    err: expect.stringMatching(new RegExp(`^No documents are embedded in ${model}\\S*: ${reason}\n$`)),
  };
  mneme = await Mneme.start({ folder, env });
  await mneme.addAndWait('All is well.');
  const rebuild = () => runMneme(['rebuild', '--vector-space', model], { folder, env });
  expect(await rebuild()).toEqual(refused);
  await stop();
  for (const end of ['', '-wal', '-shm']) await rm(join(folder, `views.db${end}`), { force: true });
  expect(await rebuild()).toEqual(refused);
  // Not even the views were built again.
  expect(existsSync(join(folder, 'views.db'))).toBe(false);
  expect(linesOf(await cli('events', 'export', '--types', 'VectorSpaceBegun', '--json'))).toEqual([]);
});

test('errors are printed as one sentence', async () => {
  expect(await cli('doctor')).toEqual({
    code: 1,
    out: '',
    err: `${folder} has no event log. Set the data folder with --data or MNEME_DATA.\n`,
  });
  const server = await start();
  await rm(join(folder, 'control.sock'));
  expect(await cli('doctor')).toMatchObject({
    code: 1,
    err: expect.stringMatching(new RegExp(`is in use by process ${server.pid}\\. Stop it`)),
  });
});
