import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, Mneme } from './support/mneme.ts';

/** Texts and files for one document, over HTTP. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const READ = 'The otter sleeps on its back.\nThe heron waits by the weir.';

async function upload(customId: string, content: string, name = 'river.txt'): Promise<{ id: string; status: string }> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  form.append('customId', customId);
  form.append('containerTags', customId);
  const { status, body } = await mneme.request<{ id: string; status: string }>('POST', '/v3/documents/file', form);
  expect(status).toBe(200);
  return body;
}
const send = async (customId: string, content: string, headers: Record<string, string> = {}) =>
  (await mneme.post('/v3/documents', { content, customId }, headers)).body;
const patch = (id: string, body: object) => mneme.request('PATCH', `/v3/documents/${id}`, body);
const typesOf = async (id: string) =>
  (await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`)).body.events.map(({ type }) => type);
const found = async (q: string, containerTag: string) =>
  (await mneme.post<{ total: number }>('/v3/search', { q, containerTag })).body.total;

/** The uploaded files that are kept for a document; null where blobs are no files. */
async function filesOf(id: string): Promise<number | null> {
  const names = await readdir(join(mneme.folder, 'blobs'), { recursive: true }).catch(() => null);
  return names?.filter((name) => name.includes(`/${id}/`) && name.endsWith('.upload')).length ?? null;
}

test('a text for an uploaded document is compared with the text of the file, which stays', async () => {
  const { id } = await upload('river', READ);
  expect((await mneme.settled(id)).content).toBe(READ);
  expect(await send('river', READ)).toEqual({ id, status: 'done' });
  expect(await send('river', 'The <b>pike</b> hides.')).toEqual({ id, status: 'queued' });
  const content = `${READ}\nThe <b>pike</b> hides.`;
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', content, title: 'river.txt', source: 'upload' });
  expect(await found('pike', 'river')).toBe(1);
  expect(await found('otter', 'river')).toBe(1);
  expect(await upload('river', READ)).toEqual({ id, status: 'done' });
  expect((await typesOf(id)).filter((type) => type === 'ContentExtracted')).toHaveLength(2);

  const edited = content.replace('pike', 'perch');
  await send('river', edited);
  expect(await mneme.settled(id)).toMatchObject({ content: edited, title: 'river.txt' });
  expect(await found('pike', 'river')).toBe(0);
  expect(await filesOf(id)).not.toBe(0);
});

test('texts that are sent while the file is read follow its text, and a retry of one is not stored twice', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => `${i},value ${i}`).join('\n');
  const { id } = await upload('busy', `number,text\n${rows}\n`, 'rows.csv');
  expect((await send('busy', 'The first addition.')).status).toBe('queued');
  await send('busy', 'A second one.');
  await send('busy', 'A second one.', { 'x-stainless-retry-count': '1' });
  const { content, title, status } = await mneme.settled(id);
  expect({ title, status }).toEqual({ title: 'rows.csv', status: 'done' });
  expect((content as string).split('\n').slice(-2)).toEqual(['The first addition.', 'A second one.']);
  expect((content as string).split('A second one.')).toHaveLength(2);
  expect(content).toContain('value 19999');
});

test.each([
  ['before', async () => {}],
  ['after', async (id: string) => void (await mneme.settled(id))],
])('a text that is sent %s a file turns out to be unreadable becomes the content', async (when, wait) => {
  const { id } = await upload(`unreadable-${when}`, '%PDF-1.7\n%âãÏÓ\n', 'scan.pdf');
  await wait(id);
  await send(`unreadable-${when}`, 'What the scan says.');
  await mneme.settled(id);
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', content: 'What the scan says.', title: 'scan.pdf' });
  expect(await typesOf(id)).toContain('ProcessingFailed');
});

test.each([
  ['an update', (id: string) => patch(id, { content: 'Only this.' }), 'Only this.', 0],
  ['another upload', () => upload('replaced-another upload', 'Only that.', 'that.txt'), 'Only that.', 1],
])('%s replaces the file, and its bytes are erased', async (name, replace, content, files) => {
  const { id } = await upload(`replaced-${name}`, READ);
  await mneme.settled(id);
  await send(`replaced-${name}`, 'With an addition.');
  await replace(id);
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', content });
  expect(await found('otter', `replaced-${name}`)).toBe(0);
  expect([files, null]).toContain(await filesOf(id));
  expect(await typesOf(id)).toContain('FileRemoved');
});

test('a file can be replaced by another one and come back', async () => {
  const { id } = await upload('back', READ);
  await upload('back', 'Something else.');
  await upload('back', READ);
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', content: READ });
  expect([1, null]).toContain(await filesOf(id));
});

test('a file that cannot be read has its name as title, is listed as failed, and is read again when it is sent again', async () => {
  const { id } = await upload('failed', '%PDF-1.7\n', 'scan.pdf');
  const failed = { status: 'failed', title: 'scan.pdf' };
  expect(await mneme.settled(id)).toMatchObject({ ...failed, processingError: { code: 'extraction_failed' } });
  const listed = await eventually(async () => {
    const wanted = { containerTag: 'failed', status: 'failed' };
    const { body } = await mneme.post<{ memories: unknown[] }>('/v3/documents/list', wanted);
    return body.memories.length > 0 ? body.memories : null;
  });
  expect(listed).toMatchObject([{ id, ...failed }]);
  const before = (await typesOf(id)).length;
  expect(await upload('failed', '%PDF-1.7\n', 'scan.pdf')).toEqual({ id, status: 'queued' });
  await mneme.settled(id);
  expect((await typesOf(id)).slice(before)).toEqual(
    expect.arrayContaining(['ProcessingRestarted', 'ProcessingFailed']),
  );
  const retried = await mneme.post(`/v3/documents/${id}/retry`);
  expect(retried).toMatchObject({ status: 200, body: { id, status: 'queued' } });
});
