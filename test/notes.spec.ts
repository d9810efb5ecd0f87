import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, Mneme } from './support/mneme.ts';

/** Notes with front matter and notebooks, made by several programs, over HTTP. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Found {
  readonly id: string;
  readonly status: string;
  readonly title: string;
  readonly content: string;
  readonly frontMatter?: Record<string, unknown>;
}

const fixture = (name: string) => readFile(join(import.meta.dirname, 'fixtures/notes', name));

async function uploaded(name: string, containerTag: string, bytes?: Uint8Array<ArrayBuffer>): Promise<Found> {
  const form = new FormData();
  form.append('file', new Blob([bytes ?? (await fixture(name))], { type: 'application/octet-stream' }), name);
  form.append('containerTags', containerTag);
  const { id } = (await mneme.request<{ id: string }>('POST', '/v3/documents/file', form)).body;
  return (await mneme.settled(id)) as unknown as Found;
}

async function best(q: string, containerTag: string): Promise<string | undefined> {
  const { results } = (await mneme.post<{ results: { memory: string }[] }>('/v4/search', { q, containerTag })).body;
  return results[0]?.memory;
}

/** Ids of the documents that lists and both searches find with one condition. */
async function withFilter(condition: object, containerTag: string, more: object = {}): Promise<readonly string[]> {
  const filters = { AND: [condition] };
  const scope = { containerTags: [containerTag], filters, ...more };
  const list = await mneme.post<{ memories: { id: string }[] }>('/v3/documents/list', scope);
  const listed = list.body.memories.map(({ id }) => id).sort();
  if ('asOf' in more) return listed;
  const documents = await mneme.post<{ results: { documentId: string }[] }>('/v3/search', { q: 'crane', ...scope });
  expect(documents.body.results.map(({ documentId }) => documentId).sort()).toEqual(listed);
  const memories = await mneme.post<{ results: unknown[] }>('/v4/search', { q: 'crane', containerTag, filters });
  expect(memories.body.results.length > 0).toBe(listed.length > 0);
  return listed;
}

const CRANE = {
  ...{ title: 'Crane log', date: '2024-03-05', tags: ['winch', 'overhaul'], aliases: ['Jib diary'] },
  ...{ status: 'cancelled', summary: 'The overhaul was postponed to October.' },
};

test('a note is found by its front matter, uploaded and as a string alike', async () => {
  const file = await fixture('n-frontmatter.md');
  const upload = await uploaded('n-frontmatter.md', 'note');
  const id = await mneme.addAndWait(file.toString(), { containerTag: 'string' });
  const sent = (await mneme.get<Found>(`/v3/documents/${id}`)).body;
  for (const found of [upload, sent]) {
    expect(found).toMatchObject({
      ...{ status: 'done', title: 'Crane log', frontMatter: CRANE, content: file.toString() },
      ...{ summary: 'The green crane lifts forty tonnes.', metadata: null, language: 'en' },
    });
  }
  const unit =
    'title: Crane log\ndate: 2024-03-05\ntags: [winch, overhaul]\naliases: [Jib diary]\nstatus: cancelled\n' +
    'summary: The overhaul was postponed to October.';
  for (const tag of ['note', 'string']) {
    for (const q of ['Jib diary', 'winch overhaul', 'cancelled', 'overhaul in October']) {
      expect([tag, q, await best(q, tag)]).toEqual([tag, q, unit]);
    }
  }
});

test.each([
  [
    'python-frontmatter-weir.md',
    {
      ...{ title: 'Weir: repairs', tags: ['sluice', 'oak beam'], aliases: ['Mill race diary'], author: 'Ann Berg' },
      ...{ status: 'postponed', version: '1.10' },
      summary: 'The keeper waits for the water to fall.\nThen the wall is mended.',
    },
    { author: 'Ann Berg' },
    ['Mill race diary', 'postponed', 'mended wall'],
  ],
  [
    'pyyaml-escaped.md',
    {
      ...{ title: 'Überfahrt: Fähre', tags: ['Fähre', 'Überfahrt'], weight: 7, draft: false },
      summary: 'Die Fähre fährt im Winter nicht, weil der Kapitän auf Trinkgeld aus der Schürfgrube wartet, sagt Jörg.',
    },
    { language: 'de' },
    ['Fähre im Winter', 'Schürfgrube'],
  ],
  [
    'js-yaml-tides.md',
    {
      ...{ title: 'Tide log', tags: ['tide', 'north pier'], keywords: ['tide', 'north pier'], status: 'final' },
      ...{ date: '2024-03-05T22:30:00.000Z', author: { name: 'Ann Berg', city: 'Oslo' } },
    },
    { author: 'Ann Berg', documentDate: '2024-03-05T22:30:00.000Z' },
    ['north pier', 'Oslo'],
  ],
])('%s', async (name, frontMatter, fields, questions) => {
  const found = await uploaded(name, name);
  expect(found).toMatchObject({ status: 'done', title: frontMatter.title, frontMatter, ...fields });
  for (const q of questions) expect(await best(q, name)).toContain('title: ');
});

test('filters compare the front matter, that of the present content and that of a past one', async () => {
  const crane = 'The green crane lifts forty tonnes.';
  const add = (lines: string, fields: object = {}) =>
    mneme.addAndWait(`---\n${lines}\n---\n${crane}`, { containerTag: 'filters', ...fields });
  const one = await add('status: draft\ntags: [winch, "over, haul"]\nweight: 5', { metadata: { kind: 'log' } });
  const two = await add('status: Final\ntags: winch\nweight: 12\ndue: 2024-03-05');
  const plain = await mneme.addAndWait(crane, { containerTag: 'filters', metadata: { 'frontMatter.status': 'mine' } });
  const found = (key: string, value: string, more: object = {}) =>
    withFilter({ key: `frontMatter.${key}`, value, ...more }, 'filters');
  const contains = { filterType: 'array_contains' };
  expect(await found('status', 'draft')).toEqual([one]);
  expect(await found('status', 'final', { ignoreCase: true })).toEqual([two]);
  expect(await found('status', 'draft', { negate: true })).toEqual([two, plain].sort());
  expect(await found('status', 'mine')).toEqual([plain]);
  expect(await found('tags', 'winch', contains)).toEqual([one, two].sort());
  expect(await found('tags', 'over, haul', contains)).toEqual([one]);
  expect(await found('tags', 'haul"]', { filterType: 'string_contains' })).toEqual([one]);
  expect(await found('tags', '["winch","over, haul"]')).toEqual([one]);
  expect(await found('weight', '9', { numericOperator: '>' })).toEqual([two]);
  expect(await found('due', '2024-03', { filterType: 'string_contains' })).toEqual([two]);
  expect(await withFilter({ key: 'status', value: 'draft' }, 'filters')).toEqual([]);
  const kind = { key: 'kind', value: 'log' };
  expect(await withFilter(kind, 'filters')).toEqual([one]);

  // The content changes, and with it the front matter.
  const before = new Date().toISOString();
  const edited = { content: `---\nstatus: final\n---\n${crane}` };
  expect((await mneme.request('PATCH', `/v3/documents/${one}`, edited)).status).toBe(200);
  expect(await mneme.settled(one)).toMatchObject({ frontMatter: { status: 'final' }, metadata: { kind: 'log' } });
  expect(await found('status', 'draft')).toEqual([]);
  expect(await found('status', 'final')).toEqual([one]);
  const then = { asOf: before };
  expect(await withFilter({ key: 'frontMatter.status', value: 'draft' }, 'filters', then)).toEqual([one]);
  expect((await mneme.get(`/v3/documents/${one}?asOf=${before}`)).body).toMatchObject({
    frontMatter: { status: 'draft', tags: ['winch', 'over, haul'], weight: 5 },
  });
  expect((await mneme.request('PATCH', `/v3/documents/${one}`, { content: crane })).status).toBe(200);
  expect(await mneme.settled(one)).not.toHaveProperty('frontMatter');
  expect(await found('status', 'final')).toEqual([]);
});

test('a text that is added to an uploaded note leaves its front matter, and a text in its place has its own', async () => {
  const note = await fixture('n-frontmatter.md');
  const form = new FormData();
  form.append('file', new Blob([note]), 'crane.md');
  form.append('customId', 'crane');
  form.append('containerTags', 'grows');
  const { id } = (await mneme.request<{ id: string }>('POST', '/v3/documents/file', form)).body;
  await mneme.settled(id);
  await mneme.addAndWait(`${note}\nThe cable was greased.\n`, { customId: 'crane', containerTag: 'grows' });
  expect(await mneme.settled(id)).toMatchObject({ title: 'Crane log', frontMatter: CRANE });
  expect(await best('Jib diary', 'grows')).toMatch(/^title: Crane log\n/);
  expect(await best('cable greased', 'grows')).toContain('The cable was greased.');
});

test('a memory of a note is found by the front matter of the note, also when it has been changed', async () => {
  const id = await mneme.addAndWait('---\nstatus: draft\n---\nThe crane stands in the yard.', {
    containerTag: 'memory',
  });
  const { memories } = (await mneme.get<{ memories: { id: string; memory: string }[] }>(`/v3/documents/${id}`)).body;
  const yard = memories.find(({ memory }) => memory.includes('yard'));
  const changed = { id: yard?.id, newContent: 'The crane stands in the harbour.', containerTag: 'memory' };
  expect((await mneme.request('PATCH', '/v4/memories', changed)).status).toBe(200);
  const filters = { AND: [{ key: 'frontMatter.status', value: 'draft' }] };
  const searched = async () => {
    const body = { q: 'crane harbour', containerTag: 'memory', filters };
    return (await mneme.post<{ results: { memory: string }[] }>('/v4/search', body)).body.results[0]?.memory;
  };
  await eventually(async () => ((await searched())?.includes('harbour') ? true : null));
});

test('broken front matter costs nothing', async () => {
  const broken = '---\ntitle: Crane: a log\ntags: [winch\n---\nThe green crane lifts forty tonnes.';
  const found = await uploaded('broken.md', 'broken', new TextEncoder().encode(broken));
  expect(found).toMatchObject({ status: 'done', title: 'broken.md', content: broken });
  expect(found).not.toHaveProperty('frontMatter');
  expect(await best('winch', 'broken')).toContain('tags: [winch');
});

test.each([
  [
    'nbformat-4.ipynb',
    'Crane loads',
    ['Every load of March', "loads = read('march.csv')", '| green | 40', "KeyError: 'jib'"],
  ],
  ['nbformat-3.ipynb', 'Tide tables', ['dry at low water', 'print(low_water())', 'low water at 06:40']],
  ['jupytext-front-matter.ipynb', 'Harbour depths', ['tags: [sounding, dredger]', 'depth = 4.2']],
  ['papermill-failed.ipynb', 'Ferry fares', ['fare = 4', 'the cash box is empty']],
])('the notebook %s is read, whatever its name', async (name, title, texts) => {
  for (const named of [name, 'notebook', 'notebook.json']) {
    const found = await uploaded(named, name, await fixture(name));
    expect(found).toMatchObject({ status: 'done', title, type: 'text' });
    for (const text of texts) expect(found.content).toContain(text);
    expect(found.content).not.toMatch(/iVBOR|execution_count|"cells"/);
  }
});
