import { eventually, Mneme } from './support/mneme.ts';

/** Reading documents over HTTP: chunks, memories, files, documents with memories, facets, and complete lists. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface List {
  memories: { id: string }[];
  pagination: { totalItems: number; totalPages: number };
}

interface Graph {
  documents: { id: string; memoryEntries: { id: string; memory: string }[] }[];
  pagination: object;
}

const SENTENCES = 'user: The lighthouse needs paint.\nassistant: Which colour?\nuser: White, with a red door.';

async function upload(fields: Readonly<Record<string, string>>, text: string, name: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/csv' }), name);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  const { status, body } = await mneme.request<{ id: string }>('POST', '/v3/documents/file', form);
  expect(status).toBe(200);
  return body.id;
}

test('a document shows its chunks and memories, and searches name the same ones', async () => {
  const id = await mneme.addAndWait(SENTENCES, { containerTag: 'parts', customId: 'lighthouse/1' });
  const named = encodeURIComponent('lighthouse/1');
  const { body: chunks } = await mneme.get<{ chunks: { id: string; position: number; content: string }[] }>(
    `/v3/documents/${named}/chunks`,
  );
  expect(chunks).toMatchObject({ documentId: id, total: chunks.chunks.length });
  expect(chunks.chunks.map(({ content }) => content).join('\n')).toBe(SENTENCES);
  const { body: record } = await mneme.get<{ memories: { id: string; memory: string }[] }>(`/v3/documents/${id}`);
  expect(record.memories.map(({ memory }) => memory).join('\n')).toBe(SENTENCES);
  expect(record.memories[0]).toMatchObject({ version: 1, isLatest: true, isForgotten: false, sourceCount: 1 });

  const { body: found } = await mneme.post<{ results: { id: string }[] }>('/v4/search', {
    ...{ q: 'red door', containerTag: 'parts', searchMode: 'hybrid', threshold: 0 },
  });
  const known = new Set([...chunks.chunks, ...record.memories].map((unit) => unit.id));
  expect(found.results.every((result) => known.has(result.id))).toBe(true);
  expect((await mneme.get('/v3/documents/nobody/chunks')).status).toBe(404);
});

test('a file is downloaded by its link until the document is deleted', async () => {
  const text = 'name,city\nAda,Oslo\n';
  const id = await upload({ containerTags: 'files' }, text, 'Städte (neu).csv');
  const { status, body } = await mneme.get<{ url: string }>(`/v3/documents/${id}/file-url`);
  expect(status).toBe(200);
  expect(body.url.startsWith(`${mneme.url}/v3/files/`)).toBe(true);

  const file = await fetch(body.url);
  expect(await file.text()).toBe(text);
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'text/csv',
    'content-length': String(text.length),
    'content-disposition': 'attachment; filename="St_dte (neu).csv"; filename*=UTF-8\'\'St%C3%A4dte%20%28neu%29.csv',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    'cache-control': 'no-store',
  });
  expect((await fetch(`${body.url.slice(0, -1)}-`)).status).toBe(404);
  expect((await fetch(`${mneme.url}/v3/files/x`)).status).toBe(404);

  await mneme.settled(id);
  expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  expect((await fetch(body.url)).status).toBe(404);
  expect((await mneme.get(`/v3/documents/${id}/file-url`)).status).toBe(404);
  const plain = await mneme.add('No file.');
  expect((await mneme.get(`/v3/documents/${plain}/file-url`)).status).toBe(404);
});

test('documents are listed with their memories, read by ids and counted by category', async () => {
  const first = await mneme.addAndWait(SENTENCES, { containerTag: 'graph', customId: 'graph-1' });
  const second = await upload({ containerTag: 'graph' }, 'a,b\n1,2\n', 'table.csv');
  await mneme.settled(second);
  const graph = async (path: string, fields: object) => {
    const { status, body } = await mneme.post<Graph>(`/v3/documents/documents${path}`, fields);
    expect(status).toBe(200);
    return body;
  };
  const all = await graph('', { containerTags: ['graph'], limit: 500, sort: 'createdAt', order: 'asc' });
  expect(all.documents.map(({ id }) => id)).toEqual([first, second]);
  expect(all.documents[0]?.memoryEntries.map(({ memory }) => memory).join('\n')).toBe(SENTENCES);
  expect(all.pagination).toEqual({ currentPage: 1, totalPages: 1, totalItems: 2, limit: 500 });
  const uploaded = await graph('', { containerTags: ['graph'], sources: ['upload'] });
  expect(uploaded.documents.map(({ id }) => id)).toEqual([second]);
  expect(await graph('', { containerTags: ['graph'], categories: ['pdf'] })).toMatchObject({ documents: [] });

  const byIds = await graph('/by-ids', { ids: [second, 'unknown', first] });
  expect(byIds.documents.map(({ id }) => id)).toEqual([second, first]);
  const byCustomId = await graph('/by-ids', { ids: ['graph-1'], by: 'customId' });
  expect(byCustomId.documents).toEqual([all.documents[0]]);
  expect((await graph('/by-ids', { ids: [first], containerTags: ['other'] })).documents).toEqual([]);
  const { body: facets } = await mneme.post('/v3/documents/documents/facets', { containerTags: ['graph'] });
  expect(facets).toEqual({ facets: [{ category: 'text', label: 'Text', count: 2 }], total: 2 });
});

test('a list takes every restriction at once, and its pages neither repeat nor miss a document', async () => {
  const added: string[] = [];
  for (let i = 0; i < 12; i++) {
    const metadata = { kind: i % 2 === 0 ? 'note' : 'page', team: i % 3 };
    added.push(await mneme.add(`Number ${i}.`, { containerTag: 'paged', filepath: `/p/${i % 2}/${i}`, metadata }));
  }
  const list = async (fields: object) => {
    const { status, body } = await mneme.post<List>('/v3/documents/list', { containerTags: ['paged'], ...fields });
    expect(status).toBe(200);
    return body;
  };
  // The views of distributed engines may be behind.
  await eventually(async () => ((await list({})).pagination.totalItems === added.length ? true : null));
  const pages: string[] = [];
  for (let page = 1; page <= 4; page++) {
    const { memories, pagination } = await list({ page, limit: 5, order: 'asc' });
    expect(pagination).toMatchObject({ totalItems: 12, totalPages: 3 });
    pages.push(...memories.map(({ id }) => id));
  }
  expect(pages).toEqual(added);
  const filters = {
    AND: [
      { key: 'kind', value: 'note' },
      { key: 'team', value: 0 },
    ],
  };
  const narrowed = await list({ filters, filepath: '/p/0/', source: 'api', order: 'asc', status: [] });
  expect(narrowed.memories.map(({ id }) => id)).toEqual([added[0], added[6]]);
  expect((await list({ filters, filepath: '/p/0/6' })).memories.map(({ id }) => id)).toEqual([added[6]]);
  expect((await list({ filters, filepath: '/p/1/' })).pagination.totalItems).toBe(0);
  expect((await list({ filters, source: 'upload' })).pagination.totalItems).toBe(0);
  for (const id of added) await mneme.settled(id);
  await eventually(async () =>
    (await list({ status: ['done'] })).pagination.totalItems === added.length ? true : null,
  );
  expect((await list({ filters, status: ['done'] })).pagination.totalItems).toBe(2);
  expect((await list({ filters, status: 'processing' })).pagination.totalItems).toBe(0);
});
