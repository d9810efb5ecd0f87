import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, Mneme } from './support/mneme.ts';

interface Connection {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly itemsToConfirm: number;
}

interface Run {
  readonly status: string;
  readonly triggerType: string;
  readonly itemsProcessed: number;
  readonly itemsFailed: number;
  readonly itemsFound: number;
  readonly error: string | null;
}

interface Item {
  readonly path: string;
  readonly status: string;
  readonly error: string | null;
  readonly documentId: string | null;
}

/** Connections to sources, over HTTP, with a folder of the machine as their source. */

let source: string;
let mneme: Mneme;
beforeAll(async () => {
  source = await mkdtemp(join(tmpdir(), 'mneme-source-'));
  mneme = await Mneme.start({ env: { MNEME_FOLDERS: JSON.stringify([{ name: 'notes', path: source }]) } });
});
afterAll(async () => {
  await mneme.stop();
  await rm(source, { recursive: true });
});

let folder: string;
let place: string;
let n = 0;
beforeEach(async () => {
  n += 1;
  folder = `f${n}`;
  place = join(source, folder);
  await mkdir(place);
});

/** Resolves when a check passes. */
const soon = (check: () => Promise<void>) =>
  eventually(() =>
    check().then(
      () => true,
      () => null,
    ),
  );

const write = (name: string, text: string) => writeFile(join(place, name), text);

async function connect(details: object = {}): Promise<string> {
  const body = { containerTag: folder, metadata: { folder: 'notes', path: folder }, ...details };
  const created = await mneme.request<{ id: string }>('POST', '/v3/connections/folder', body);
  expect(created).toMatchObject({ status: 200, body: { id: expect.any(String) } });
  return created.body.id;
}

const get = async <T>(path: string) => (await mneme.request<T>('GET', `/v3/connections/${path}`)).body;
const runs = (id: string) => get<readonly Run[]>(`${id}/sync-runs`);
const items = async (id: string) => (await get<{ items: readonly Item[] }>(`${id}/items?limit=100`)).items;

async function ended(id: string, count: number): Promise<Run> {
  await soon(async () => {
    const ended = (await runs(id)).filter(({ status }) => status !== 'running');
    expect(ended.length).toBeGreaterThanOrEqual(count);
  });
  return (await runs(id))[0] as Run;
}

async function sync(id: string): Promise<Run> {
  const before = (await runs(id)).length;
  const asked = await mneme.request('POST', '/v3/connections/folder/import', { containerTags: [folder] });
  expect(asked.status).toBe(202);
  return ended(id, before + 1);
}

interface Documents {
  readonly memories: readonly { readonly id: string; readonly title: string; readonly filepath: string }[];
}
const documents = async () =>
  (await mneme.request<Documents>('POST', '/v3/documents/list', { containerTags: [folder], limit: 100 })).body.memories;

test('the files of a folder become documents, which follow them', async () => {
  await write('a.md', '# Kettle\n\nThe kettle is blue.');
  await write('b.txt', 'The lamp is red.');
  await write('empty.txt', '');
  const id = await connect();
  expect(await ended(id, 1)).toMatchObject({ status: 'completed', itemsProcessed: 2, itemsFailed: 1, itemsFound: 3 });
  await soon(async () => {
    const listed = (await mneme.request<readonly object[]>('POST', '/v3/connections/folder/documents', {})).body;
    expect(listed).toEqual(expect.arrayContaining([expect.objectContaining({ title: 'a.md', status: 'done' })]));
  });
  const [a] = (await documents()).filter(({ filepath }) => filepath.endsWith('a.md'));
  expect(await mneme.request('GET', `/v3/documents/${a?.id}`)).toMatchObject({
    body: {
      connectionId: id,
      source: 'folder',
      customId: expect.stringContaining(`${id}:`),
      filepath: `/${folder}/a.md`,
    },
  });
  await write('a.md', '# Kettle\n\nThe kettle is green.');
  await rm(join(place, 'b.txt'));
  await write('c.txt', 'The door is white.');
  await sync(id);
  await soon(async () => {
    const found = await mneme.request<{ results: { memory: string }[] }>('POST', '/v4/search', {
      ...{ q: 'kettle', containerTag: folder, searchMode: 'documents' },
    });
    expect(JSON.stringify(found.body)).toContain('green');
    expect((await documents()).map(({ title }) => title).sort()).toEqual(['a.md', 'c.txt']);
  });
  expect(await items(id)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: `/${folder}/empty.txt`, status: 'failed', error: 'it is empty' }),
    ]),
  );
});

test('a document that was deleted here stays deleted until the file changes', async () => {
  await write('a.txt', 'The kettle is blue.');
  const id = await connect();
  await ended(id, 1);
  const [document] = await documents();
  expect((await mneme.request('DELETE', `/v3/documents/${document?.id}`)).status).toBe(204);
  await sync(id);
  expect(await documents()).toEqual([]);
  expect(await items(id)).toMatchObject([{ path: `/${folder}/a.txt`, status: 'deleted' }]);
  await write('a.txt', 'The kettle is green.');
  await sync(id);
  expect(await documents()).toHaveLength(1);
  expect(await items(id)).toMatchObject([{ status: 'synced' }]);
});

test('a folder that is not mounted removes nothing, whoever asks', async () => {
  for (let i = 0; i < 3; i += 1) await write(`${i}.txt`, `Note ${i} is about lamps.`);
  const id = await connect({ documentLimit: 2 });
  await ended(id, 1);
  const lost = async (reason: string) => {
    expect(await sync(id)).toMatchObject({ status: 'failed' });
    const why = { status: 'lost', itemsToConfirm: 0, error: expect.stringContaining(reason) };
    await soon(async () => expect(await get<Connection>(id)).toMatchObject(why));
  };
  await rename(place, `${place}-away`);
  await lost('is not there');
  await mkdir(place);
  await lost('and empty. Is it mounted?');
  await lost('and empty. Is it mounted?');
  expect(await documents()).toHaveLength(2);
  await rm(place, { recursive: true });
  await rename(`${place}-away`, place);
  for (let i = 0; i < 3; i += 1) await rm(join(place, `${i}.txt`));
  await sync(id);
  await soon(async () => expect(await documents()).toEqual([]));
});

test('many files that are gone are removed only after a confirmation', async () => {
  for (let i = 0; i < 24; i += 1) await write(`${i}.txt`, `Note ${i} is about lamps.`);
  const id = await connect();
  await ended(id, 1);
  // All at once, so that no sync sees a part of them gone.
  await mkdir(`${place}-new`);
  await writeFile(join(`${place}-new`, 'new.txt'), 'The door is white.');
  await rename(place, `${place}-away`);
  await rename(`${place}-new`, place);
  await sync(id);
  const many = { status: 'many_removed', itemsToConfirm: 24, error: expect.stringContaining('24 items') };
  await soon(async () => expect(await get<Connection>(id)).toMatchObject(many));
  expect(await documents()).toHaveLength(25);
  expect((await mneme.request('POST', `/v3/connections/${id}/confirm`)).status).toBe(200);
  await soon(async () => expect((await documents()).map(({ title }) => title)).toEqual(['new.txt']));
  await soon(async () => expect(await get<Connection>(id)).toMatchObject({ status: 'synced', itemsToConfirm: 0 }));
  expect((await mneme.request('POST', `/v3/connections/${id}/confirm`)).status).toBe(409);
});

test('a deleted connection takes its documents along, unless they are to stay', async () => {
  await write('a.txt', 'The kettle is blue.');
  const [first, second] = [await connect(), await connect({ containerTag: `${folder}-kept` })];
  for (const id of [first, second]) await ended(id, 1);
  const deleted = await mneme.request('DELETE', '/v3/connections/folder', { containerTags: [folder] });
  expect(deleted).toMatchObject({ status: 200, body: { id: first, provider: 'folder' } });
  expect((await mneme.request('GET', `/v3/connections/${first}`)).status).toBe(404);
  await soon(async () => expect(await documents()).toEqual([]));
  const kept = await mneme.request('DELETE', `/v3/connections/${second}?deleteDocuments=false`);
  expect(kept).toMatchObject({ status: 200, body: { id: second, provider: 'folder' } });
  expect((await mneme.request('POST', '/v3/connections/list', { containerTags: [`${folder}-kept`] })).body).toEqual([]);
  const body = { containerTags: [`${folder}-kept`] };
  expect((await mneme.request<Documents>('POST', '/v3/documents/list', body)).body.memories).toHaveLength(1);
});

test('filters say which files are taken', async () => {
  await mkdir(join(place, 'drafts'));
  for (const name of ['a.md', 'b.txt', 'drafts/c.md']) await write(name, `This is ${name}.`);
  await write('large.md', 'x'.repeat(5_000));
  const id = await connect({ include: ['*.md'], exclude: ['drafts/'], maxBytes: 4_000 });
  await ended(id, 1);
  expect((await items(id)).map(({ path }) => path)).toEqual([`/${folder}/a.md`]);
});

test('the sync that a kill has cut goes on, and does nothing twice', async () => {
  for (let i = 0; i < 300; i += 1) await write(`${i}.txt`, `Note ${i} is about lamps.`);
  const id = await connect();
  await soon(async () => expect((await documents()).length).toBeGreaterThan(20));
  mneme = await mneme.restart('SIGKILL');
  await ended(id, 1);
  expect(await items(id)).toHaveLength(100);
  const events = await mneme.request<{ pagination: { totalItems: number } }>('POST', '/v3/documents/list', {
    ...{ containerTags: [folder], limit: 1 },
  });
  expect(events.body.pagination.totalItems).toBe(300);
});

test.each([
  ['an unknown provider', 'nobody', {}, 400, 'provider'],
  ['a provider that is not set up', 'onedrive', {}, 501, 'provider'],
  ['a wrong setup', 'folder', { metadata: { folder: 'nowhere' } }, 400, 'metadata.folder'],
  ['too many documents', 'folder', { documentLimit: 10_001 }, 400, 'documentLimit'],
])('%s is refused', async (_, provider, body, status, details) => {
  const refused = await mneme.request('POST', `/v3/connections/${provider}`, body);
  expect(refused).toMatchObject({ status, body: { details } });
  if (status === 501) expect(refused.headers.get('x-should-retry')).toBe('false');
});

test('an import is answered as the client accepts, and only full keys reach connections', async () => {
  await connect();
  const path = '/v3/connections/folder/import';
  const text = await mneme.request(path.startsWith('/') ? 'POST' : '', path, {}, { accept: 'text/plain' });
  expect([text.status, typeof text.body, text.headers.get('content-type')]).toEqual([
    ...[202, 'string', 'text/plain; charset=utf-8'],
  ]);
  const json = await mneme.request('POST', path, undefined, { accept: 'application/json' });
  expect(json).toMatchObject({ status: 202, body: { message: expect.any(String), provider: 'folder' } });
  const none = await mneme.request('POST', path, { containerTags: ['nobody'] });
  expect(none.status).toBe(400);
  const scoped = await mneme.request<{ key: string }>('POST', '/v3/auth/scoped-key', { containerTag: folder });
  const authorization = `Bearer ${scoped.body.key}`;
  const refused = await mneme.request('POST', '/v3/connections/list', {}, { authorization });
  expect(refused.status).toBe(403);
  const member = await mneme.request<{ key: string }>('POST', '/v3/auth/keys', { name: 'm', role: 'member' });
  const body = { metadata: { folder: 'notes', path: folder } };
  const headers = { authorization: `Bearer ${member.body.key}` };
  expect((await mneme.request('POST', '/v3/connections/folder', body, headers)).status).toBe(403);
});
