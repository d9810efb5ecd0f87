import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually, Mneme } from './support/mneme.ts';

/** `mneme backup` of a server in use, and `mneme restore`. */

const PROGRAM = resolve(import.meta.dirname, '../bin/mneme.js');

let root: string;
const data = () => join(root, 'data');
const backup = () => join(root, 'backup');
const restored = () => join(root, 'restored');
const servers: Mneme[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mneme-backup-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await rm(root, { recursive: true });
});

async function start(folder: string): Promise<Mneme> {
  const server = await Mneme.start({ folder });
  servers.push(server);
  return server;
}

function cli(folder: string, args: readonly string[], env: Record<string, string> = {}) {
  const settings = { PATH: process.env.PATH, MNEME_DATA: folder, MNEME_EMBEDDING: 'off', ...env };
  return new Promise<{ code: number; out: string; err: string }>((done) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: settings }, (error, out, err) =>
      done({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

const upload = (server: Mneme, name: string, text: string) => {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/plain' }), name);
  return server.request('POST', '/v3/documents/file', form);
};

/** Waits until something is found: after a restore the views follow from the log in the background. */
const foundBy = (server: Mneme, q: string) =>
  eventually(async () => {
    const { body } = await server.post<{ results?: { documentId: string }[] }>('/v3/search', { q });
    return body.results?.length ? body.results.map(({ documentId }) => documentId) : null;
  });

/** Removes what differs between two answers of the same document. */
const comparable = ({ updatedAt: _, ...document }: Record<string, unknown>) => document;

test('a backup of a server in use is restored: every document is equal and found, old positions are refused', async () => {
  const server = await start(data());
  const ids = [
    await server.addAndWait('The okapi hides.', { customId: 'okapi', containerTag: 'zoo', metadata: { n: 1 } }),
    await server.addAndWait(`A tapir. ${'It is a long walk home. '.repeat(3_000)}`),
    (await upload(server, 'quoll.txt', 'A quoll sleeps.')).body.id as string,
  ];
  for (const id of ids) await server.settled(id);
  const deleted = await server.addAndWait('A numbat left.');
  await server.request('DELETE', `/v3/documents/${deleted}`);
  let adding = true;
  const added: string[] = [];
  const adds = (async () => {
    while (adding) added.push(await server.add(`Wombat ${added.length}. ${'It digs on. '.repeat(3_000)}`));
  })();
  await eventually(async () => (added.length > 5 ? true : null));
  const before = added.slice(0, 5);
  // One that is processed again after the restore gets memories with other ids.
  for (const id of before) await server.settled(id);
  const made = await cli(data(), ['backup', backup()]);
  adding = false;
  await adds;
  expect(made).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Backup complete: \d+ files, \d+ MB, log position /),
  });
  const manifest = JSON.parse(await readFile(join(backup(), 'manifest.json'), 'utf8'));
  const expected = await Promise.all([...ids, ...before].map((id) => server.settled(id)));
  await server.stop();

  expect(await cli(restored(), ['restore', backup()])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Restored/),
  });
  const copy = await start(restored());
  for (const document of expected) {
    expect(comparable(await copy.settled(document.id as string))).toEqual(comparable(document));
  }
  expect(await foundBy(copy, 'okapi')).toEqual([ids[0]]);
  expect(await foundBy(copy, 'tapir')).toEqual([ids[1]]);
  expect(await foundBy(copy, 'quoll')).toEqual([ids[2]]);
  for (const [i, id] of before.entries()) expect(await foundBy(copy, `"Wombat ${i}."`)).toContain(id);
  expect((await copy.get(`/v3/documents/${deleted}`)).status).toBe(404);
  expect(await copy.get(`/v3/events?after=${manifest.position}`)).toMatchObject({
    status: 400,
    body: { details: 'after' },
  });
  // The restored installation goes on.
  expect((await copy.post('/v3/documents', { content: 'The okapi hides.', customId: 'okapi' })).body.id).toBe(ids[0]);
});

test('backups and restores are refused with one sentence', async () => {
  const server = await start(data());
  await server.addAndWait('Short.');
  const refused = (err: RegExp) => ({ code: 1, out: '', err: expect.stringMatching(err) });
  expect(await cli(data(), ['backup', join(data(), 'x')])).toEqual(refused(/inside the data folder/));
  expect(await cli(data(), ['backup', root])).toEqual(refused(/is not empty/));
  const elsewhere = { MNEME_OPENSEARCH_URL: 'http://127.0.0.1:1' };
  expect(await cli(restored(), ['restore', backup()], elsewhere)).toEqual(
    refused(/Back up with the tools .* OpenSearch/),
  );

  await server.stop();
  // Without a server the command opens the data folder itself.
  expect(await cli(data(), ['backup', backup(), '--json'])).toMatchObject({ code: 0 });
  expect(await cli(data(), ['backup', backup()])).toEqual(refused(/is not empty/));
  expect(await cli(data(), ['restore', backup()])).toEqual(
    refused(/is not empty; a backup is restored into an empty one/),
  );
  await appendFile(join(backup(), 'events.db'), 'x');
  expect(await cli(restored(), ['restore', backup()])).toEqual(refused(/The backup is damaged: events.db has changed/));
  expect(await readdir(restored())).toEqual(['lock.db']);
  await rm(join(backup(), 'manifest.json'));
  expect(await cli(restored(), ['restore', backup()])).toEqual(refused(/no complete backup/));
});

test('a backup of an installation that has lost blobs is written, names them and ends with exit code 1', async () => {
  const server = await start(data());
  const long = (animal: string) => `The ${animal} is back. ${'It is a long walk home. '.repeat(3_000)}`;
  const about = { metadata: { blob: 'a/b/c' } };
  const ids = [await server.addAndWait(long('tapir')), await server.addAndWait(long('okapi'), about)];
  const file = (await upload(server, 'quoll.txt', 'A quoll sleeps.')).body.id as string;
  await server.settled(file);
  // The bytes of a replaced file are erased, and are missed by nobody.
  await server.request('PATCH', `/v3/documents/${file}`, { content: 'A quoll woke up.' });
  await server.settled(file);
  expect(await cli(data(), ['backup', join(root, 'whole')])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Backup complete/),
  });

  const [lost] = ids as [string, string];
  const [organization] = (await readdir(join(data(), 'blobs'))).filter((name) => !name.startsWith('.'));
  const folder = join(data(), 'blobs', organization as string, lost);
  const names = await readdir(folder);
  await rm(folder, { recursive: true });
  const made = await cli(data(), ['backup', backup()]);
  expect(made).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^Backup written, without what is missing: \d+ files/),
  });
  expect(made.err).toContain(`${names.length} files or long texts that the event log names are missing in blobs/`);
  for (const name of names) expect(made.err).toContain(`  ${organization}/${lost}/${name}\n`);
  expect(made.err.match(/^ {2}/gm)).toHaveLength(names.length);

  expect(await cli(restored(), ['restore', backup()])).toMatchObject({
    code: 0,
    err: expect.stringContaining(`${names.length} files and long texts were lost before the backup was made.\n`),
  });
  expect((await (await start(restored())).get(`/v3/documents/${ids[1]}`)).body).toMatchObject({
    content: long('okapi'),
  });
});

test('an interrupted restore keeps servers from starting, and is begun again', async () => {
  const server = await start(data());
  const id = await server.addAndWait('A gecko stays.');
  await server.stop();
  await cli(data(), ['backup', backup()]);
  await cli(restored(), ['restore', backup()]);
  // As a killed restore leaves it.
  await writeFile(join(restored(), 'restoring'), backup());
  await expect(Mneme.start({ folder: restored() })).rejects.toThrow(/did not end. Run mneme restore again/);
  expect(await cli(restored(), ['restore', backup()])).toMatchObject({ code: 0 });
  expect(existsSync(join(restored(), 'restoring'))).toBe(false);
  expect(await foundBy(await start(restored()), 'gecko')).toEqual([id]);
});
