import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { areEmbedded } from './support/combinations.ts';
import { inParallel } from './support/load.ts';
import { Mneme } from './support/mneme.ts';

/** Stored files are read again by a newer version of the extraction: over a log whose events name no version. */

const PROGRAM = resolve(import.meta.dirname, '../bin/mneme.js');
// The log is changed, and a file removed, beside the server.
const onOwnDisk = areEmbedded() ? test : test.skip;

let mneme: Mneme;
beforeEach(async () => {
  mneme = await Mneme.start();
});
afterEach(() => mneme.stop());

async function upload(name: string, content: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  const { status, body } = await mneme.request<{ id: string }>('POST', '/v3/documents/file', form);
  expect(status).toBe(200);
  await mneme.settled(body.id);
  return body.id;
}

/** Turns the log into that of a program whose events name no version, and which has read one word as another. */
async function forget(version: 'reader', [now, then] = ['', '']): Promise<void> {
  await mneme.kill('SIGTERM');
  const log = new DatabaseSync(join(mneme.folder, 'events.db'));
  log
    .prepare(`UPDATE events SET payload = replace(json_remove(payload, ?), ?, ?) WHERE type = 'ContentExtracted'`)
    .run(`$.${version}`, now, then);
  log.exec('DELETE FROM snapshots');
  log.close();
  for (const end of ['', '-wal', '-shm']) await rm(join(mneme.folder, `views.db${end}`), { force: true });
  mneme = await mneme.restart();
}

const document = async (id: string) => (await mneme.get(`/v3/documents/${id}`)).body;
const memoriesOf = async (containerTag: string) =>
  (
    await mneme.post<{ memoryEntries: { id: string; memory: string; isForgotten: boolean }[] }>('/v4/memories/list', {
      ...{ containerTags: [containerTag], limit: 50, includeForgotten: true },
    })
  ).body.memoryEntries.map(({ id, memory, isForgotten }) => ({ id, memory, isForgotten }));
const found = async (q: string) =>
  (await mneme.post<{ results: { documentId: string }[] }>('/v3/search', { q })).body.results.length;

/** The last line, and the exit code. */
async function reprocess(kind: string) {
  const { code, out } = await mneme.cli('reprocess', '--kind', kind, '--json');
  return { code, ...(JSON.parse(out.trim().split('\n').at(-1) as string) as object) };
}

const NONE_LEFT_OUT = { withTexts: 0, inWork: 0, failedBefore: 0 };

onOwnDisk('files of a kind are read again; what callers sent, ids and forgotten memories stay', async () => {
  const fields = { containerTags: 'crane', customId: 'log', metadata: '{"year":2024}' };
  const log = await upload('log.txt', 'The winch was mended in May.', fields);
  await upload('rope.txt', 'The rope is new.', { containerTags: 'crane' });
  const grown = await upload('grown.txt', 'It began as a file.', { containerTags: 'crane', customId: 'grown' });
  await mneme.addAndWait('A text came later.', { containerTag: 'crane', customId: 'grown' });
  const gone = await upload('gone.txt', 'Its bytes will be lost.');
  const table = await upload('berths.csv', 'berth,boat\n1,Ottoline\n', { fileType: 'google_sheet' });
  await mneme.addAndWait('A string has no file.');
  const { status } = await mneme.request('DELETE', '/v4/memories', {
    containerTag: 'crane',
    content: 'The rope is new.',
  });
  expect(status).toBe(200);
  const before = { document: await document(log), memories: await memoriesOf('crane') };
  expect(before.memories).toContainEqual(expect.objectContaining({ memory: 'The rope is new.', isForgotten: true }));

  await forget('reader', ['winch', 'wimch']);
  expect([await found('winch'), await found('wimch'), await found('lost')]).toEqual([0, 1, 1]);
  const organization = (await readdir(join(mneme.folder, 'blobs'))).find((name) => !name.startsWith('.')) as string;
  await rm(join(mneme.folder, 'blobs', organization, gone), { recursive: true });

  const leftOut = { ...NONE_LEFT_OUT, withTexts: 1 };
  expect(await reprocess('text')).toEqual({
    ...{ code: 1, phase: 'done', done: true, kind: 'text', documents: 5, of: 5 },
    ...{ read: 2, changed: 1, failed: 1, current: 0, leftOut },
  });
  const withoutTimes = ({ updatedAt, memories, ...kept }: Record<string, unknown>) => kept;
  expect(withoutTimes(await document(log))).toEqual(withoutTimes(before.document));
  expect(await document(gone)).toMatchObject({ status: 'failed', processingError: { code: 'content_missing' } });
  expect(await document(grown)).toMatchObject({
    status: 'done',
    content: expect.stringContaining('A text came later.'),
  });
  expect([await found('winch'), await found('wimch'), await found('lost')]).toEqual([1, 0, 0]);
  expect(new Set(await memoriesOf('crane'))).toEqual(new Set(before.memories));
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });

  const nothing = { code: 0, read: 0, changed: 0, failed: 0 };
  expect(await reprocess('text')).toMatchObject({ ...nothing, current: 2, leftOut: { ...leftOut, failedBefore: 1 } });
  expect(await mneme.cli('reprocess', '--kind', 'google_sheet')).toMatchObject({
    ...{ code: 0, out: 'Read again: 1, of these with another text: 0. Read by this version already: 0.\n' },
  });
  expect((await document(table)).status).toBe('done');
});

onOwnDisk('a server that is killed in the middle goes on, and a second run reads the rest', async () => {
  const ids: string[] = [];
  const numbers = Array.from({ length: 80 }, (_, i) => i);
  await inParallel(numbers, 8, async (i) => {
    ids.push(await upload(`${i}.txt`, `Boat ${i} is moored.`));
  });
  await forget('reader');
  const restarts = async () => {
    const { out } = await mneme.cli('events', 'export', '--types', 'ProcessingRestarted');
    return out.trim().split('\n').length;
  };
  const env = { PATH: process.env.PATH, MNEME_DATA: mneme.folder };
  const running = execFile(process.execPath, [PROGRAM, 'reprocess', '--kind', 'text', '--json'], { env });
  const ended = new Promise<number | null>((done) => running.once('close', done));
  await new Promise<void>((begun) => {
    running.stdout?.on('data', (lines) => /"documents":[1-9]/.test(String(lines)) && begun());
  });
  mneme = await mneme.restart('SIGKILL');
  expect(await ended).toBe(1);
  for (const id of ids) await mneme.settled(id);

  const first = await restarts();
  expect(first).toBeLessThan(80);
  expect(await reprocess('text')).toMatchObject({
    ...{ code: 0, done: true, read: 80 - first, changed: 0, failed: 0, current: first, leftOut: NONE_LEFT_OUT },
  });
  expect(await reprocess('text')).toMatchObject({ code: 0, done: true, read: 0, current: 80 });
  expect(await restarts()).toBe(80);
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
});

test('it is refused without a kind, for an unknown one, and without a server', async () => {
  await upload('note.txt', 'All is well.');
  expect(await mneme.cli('reprocess')).toMatchObject({ code: 1, err: expect.stringMatching(/--kind <kind>/) });
  const unknown = {
    code: 1,
    out: '',
    err: expect.stringMatching(/^There is no kind word; known are text, pdf, .*\n$/),
  };
  expect(await mneme.cli('reprocess', '--kind', 'word')).toMatchObject(unknown);
  if (!areEmbedded('nats')) return;
  await mneme.kill('SIGTERM');
  expect(await mneme.cli('reprocess', '--kind', 'word')).toMatchObject(unknown);
  expect(await mneme.cli('reprocess', '--kind', 'text')).toEqual({
    ...{ code: 1, out: '', err: 'Start the server first: it reads the documents.\n' },
  });
});
