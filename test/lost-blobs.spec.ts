import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { areEmbedded } from './support/combinations.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** What an operator and a caller notice of blobs that are gone, without a rebuild of the views. */

const LONG = `The tapir is back. ${'It is a long walk home. '.repeat(3_000)}`;
const onOwnDisk = areEmbedded() ? test : test.skip;

let mneme: Mneme;
beforeEach(async () => {
  mneme = await Mneme.start();
});
afterEach(() => mneme.stop());

const blobs = () => join(mneme.folder, 'blobs');
const health = async () =>
  (await mneme.get<{ status: string; missing: string[]; contentLoss: object | null }>('/v3/health')).body;
const lost = { status: 'failed', processingError: { code: 'content_missing' } };
const lossesOf = async (id: string) => {
  const { events } = (await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`)).body;
  return events.filter(({ type }) => type === 'ProcessingFailed').length;
};

onOwnDisk('a removed folder is named by health and doctor, and documents that are read show the loss', async () => {
  const [text, short] = [await mneme.addAndWait(LONG), await mneme.addAndWait('A quoll sleeps.')];
  const form = new FormData();
  form.append('file', new Blob(['A numbat digs.'], { type: 'text/plain' }), 'numbat.txt');
  const file = (await mneme.request('POST', '/v3/documents/file', form)).body.id as string;
  await mneme.settled(file);
  const { body: link } = await mneme.get<{ url: string }>(`/v3/documents/${file}/file-url`);
  expect(await health()).toMatchObject({ status: 'ok', missing: [] });
  const sound = await mneme.cli('doctor');
  expect(sound.out).toMatch(/ok +stored content +(\d+) of \1 that 3 documents name are there/);

  await rename(blobs(), `${blobs()}.away`);
  expect(await eventually(async () => ((await health()).missing.length > 0 ? health() : null))).toMatchObject({
    ...{ status: 'degraded', missing: ['blobs/'] },
  });
  const examined = await mneme.cli('doctor');
  expect(examined.code).toBe(1);
  expect(examined.out).toMatch(new RegExp(`FAILED +stored content +the folder ${blobs()} does not exist; .*${text}`));
  const refused = await mneme.post('/v3/documents', { content: LONG.toUpperCase() });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)]);

  expect((await mneme.get(`/v3/documents/${text}`)).body).toMatchObject({ ...lost, content: null });
  expect((await fetch(link.url)).status).toBe(404);
  expect((await mneme.get(`/v3/documents/${file}`)).body).toMatchObject(lost);
  expect((await mneme.get(`/v3/documents/${short}`)).body).toMatchObject({
    status: 'done',
    content: 'A quoll sleeps.',
  });
  for (let again = 0; again < 3; again += 1) await mneme.get(`/v3/documents/${text}`);
  expect([await lossesOf(text), await lossesOf(file)]).toEqual([1, 1]);
  const { out } = await mneme.cli('dead-letters', 'list');
  for (const id of [text, file]) expect(out).toMatch(new RegExp(`${id} .*content_missing`));

  await rename(`${blobs()}.away`, blobs());
  expect(await eventually(async () => ((await health()).status === 'ok' ? health() : null))).toMatchObject({
    missing: [],
  });
  expect(await mneme.cli('dead-letters', 'retry')).toMatchObject({ code: 0 });
  for (const id of [text, file]) expect(await mneme.settled(id)).toMatchObject({ status: 'done' });
  expect((await mneme.get(`/v3/documents/${text}`)).body).toMatchObject({ content: LONG });
});

onOwnDisk('doctor and export find what is missing of a stopped server', async () => {
  const id = await mneme.addAndWait(LONG);
  await mneme.kill('SIGTERM');
  await rm(blobs(), { recursive: true });
  const examined = await mneme.cli('doctor');
  expect(examined).toMatchObject({ code: 1, out: expect.stringMatching(/FAILED +stored content/) });
  const exported = await mneme.cli('export', join(mneme.folder, 'exported'));
  expect(exported).toMatchObject({ code: 1, err: expect.stringContaining(`The document ${id} is not exported`) });
  mneme = await mneme.restart();
  expect(await lossesOf(id)).toBe(1);
});

onOwnDisk('a server does not begin a new event log beside what belongs to another one', async () => {
  const id = await mneme.addAndWait(LONG);
  await mneme.kill('SIGTERM');
  const logs = (await readdir(mneme.folder)).filter((name) => name.startsWith('events.db'));
  for (const name of logs) await rename(join(mneme.folder, name), join(mneme.folder, `kept-${name}`));
  await expect(mneme.restart()).rejects.toThrow(/The event log .*events\.db is missing.*Restore it from a backup/);
  for (const name of logs) await rename(join(mneme.folder, `kept-${name}`), join(mneme.folder, name));
  mneme = await mneme.restart();
  expect((await mneme.get(`/v3/documents/${id}`)).body).toMatchObject({ status: 'done', content: LONG });
});
