import { untilErased } from './support/erasure.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** The document lifecycle over HTTP: add, process, search, delete. */

interface SearchInput {
  results: Record<string, unknown>[];
  total: number;
  timing: number;
}

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const searchMemories = (q: string, fields: object = {}) =>
  mneme.post<SearchInput>('/v4/search', { q, threshold: 0, ...fields });
const searchDocuments = (q: string, fields: object = {}) => mneme.post<SearchInput>('/v3/search', { q, ...fields });

test('a text is added, becomes done, is found by both searches, and is not found after its deletion', async () => {
  const added = await mneme.post('/v3/documents', {
    content: 'The walrus keeps its marbles in the pantry.',
    customId: 'walrus/1',
    containerTag: 'org/a/user 1',
    metadata: { kind: 'note', year: 2024, vip: false },
  });
  expect(added).toMatchObject({ status: 200, body: { status: 'queued' } });
  const id = added.body.id as string;
  expect(id).toMatch(/^[A-Za-z0-9]{22}$/);

  expect(await mneme.settled(id)).toMatchObject({
    id,
    customId: 'walrus/1',
    status: 'done',
    processingStage: 'done',
    content: 'The walrus keeps its marbles in the pantry.',
    containerTags: ['org/a/user 1'],
    metadata: { kind: 'note', year: 2024, vip: false },
  });
  const byCustomId = await mneme.get(`/v3/documents/${encodeURIComponent('walrus/1')}`);
  expect(byCustomId.body.id).toBe(id);

  const memories = await searchMemories('where are the marbles?', { containerTag: 'org/a/user 1' });
  expect(memories.body.results[0]).toMatchObject({ memory: 'The walrus keeps its marbles in the pantry.' });
  const misspelt = { rewriteQuery: true, explain: true, containerTag: 'org/a/user 1' };
  const rewritten = await searchMemories('where are the marbels?', misspelt);
  expect(rewritten.body).toMatchObject({
    results: [{ memory: 'The walrus keeps its marbles in the pantry.' }],
    explain: { intent: 'where', forms: [{ text: 'where are the marbels?' }, { text: 'where are the marbles?' }] },
  });
  const documents = await searchDocuments('marbles', { containerTags: ['org/a/user 1'] });
  expect(documents.body.results).toMatchObject([{ documentId: id, chunks: [{ isRelevant: true, position: 0 }] }]);
  expect((await searchMemories('marbles', { containerTag: 'org/a' })).body.results).toEqual([]);

  const deleted = await mneme.request('DELETE', `/v3/documents/${encodeURIComponent('walrus/1')}`);
  expect(deleted.status).toBe(204);
  expect((await mneme.get(`/v3/documents/${id}`)).status).toBe(404);
  expect((await searchMemories('marbles')).body.results).toEqual([]);
  const without = await searchMemories('where are the marbels?', misspelt);
  expect(without.body).toMatchObject({ results: [], explain: { forms: [{ text: 'where are the marbels?' }] } });
  expect((await searchDocuments('marbles')).body.results).toEqual([]);
  const again = await mneme.post('/v3/documents', { content: 'Anew.', customId: 'walrus/1' });
  expect(again.body.id).not.toBe(id);
});

test('a document is listed and counted immediately after its add', async () => {
  const id = await mneme.add('Listed at once.', { containerTag: 'listing' });
  const { body } = await mneme.post('/v3/documents/list', { containerTags: ['listing'] });
  expect(body).toMatchObject({
    memories: [{ id, containerTags: ['listing'] }],
    pagination: { currentPage: 1, limit: 10, totalItems: 1, totalPages: 1 },
  });
});

test('adds with the same customId change one document: repeated, grown, and appended text', async () => {
  const tag = 'again';
  const first = await mneme.addAndWait('user: I like figs.', { customId: 'chat', containerTag: tag });
  const resent = await mneme.post('/v3/documents', { content: 'user: I like figs.', customId: 'chat' });
  expect(resent.body).toEqual({ id: first, status: 'done' });
  const grown = await mneme.post('/v3/documents', {
    content: 'user: I like figs.\nassistant: Noted.',
    customId: 'chat',
  });
  expect(grown.body).toEqual({ id: first, status: 'queued' });
  await mneme.settled(first);
  await mneme.post('/v3/documents', { content: 'user: And plums.', customId: 'chat' });
  expect((await mneme.settled(first)).content).toBe('user: I like figs.\nassistant: Noted.\nuser: And plums.');
  const { body } = await searchMemories('plums', { containerTag: tag });
  expect(body.results[0]).toMatchObject({ memory: 'user: And plums.' });
});

test('two simultaneous adds with one customId create one document', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      mneme.post('/v3/documents', { content: 'Only once.', customId: 'race', containerTag: 'race' }),
    ),
  );
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  await mneme.settled('race');
  const { body } = await mneme.post<{ memories: unknown[] }>('/v3/documents/list', { containerTags: ['race'] });
  expect(body.memories).toHaveLength(1);
  expect((await mneme.get('/v3/documents/race')).body.content).toBe('Only once.');
});

test('a request with an Idempotency-Key is executed once', async () => {
  const send = (content: string) =>
    mneme.post('/v3/documents', { content, containerTag: 'idem' }, { 'idempotency-key': 'k-1' });
  const [a, b] = await Promise.all([send('Once.'), send('Once.')]);
  expect(a?.body.id).toBe(b?.body.id);
  expect(await send('Something else.')).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

test('an uploaded file gets its name as title and is found', async () => {
  const form = new FormData();
  form.append('file', new Blob(['name,city\nAda,Oslo\nBo,Turku\n'], { type: 'text/csv' }), 'people.csv');
  form.append('containerTags', 'files');
  const added = await mneme.request('POST', '/v3/documents/file', form);
  expect(added).toMatchObject({ status: 200, body: { status: 'queued' } });
  const document = await mneme.settled(added.body.id as string);
  expect(document).toMatchObject({ status: 'done', title: 'people.csv', type: 'text', source: 'upload' });
  const { body } = await searchDocuments('Turku', { containerTags: ['files'] });
  expect(body.results).toMatchObject([{ documentId: added.body.id }]);
});

test.each([
  ['a URL', 'http://192.0.2.1/a.html'],
  ['a URL among white space', '  http://192.0.2.1/x \n'],
])('%s that may not be fetched fails with fetch_refused', async (_, content) => {
  const id = await mneme.add(content);
  expect(await mneme.settled(id)).toMatchObject({
    ...{ status: 'failed', content, url: content.trim() },
    processingError: { code: 'fetch_refused', message: expect.stringContaining('MNEME_FETCH_ALLOW') },
  });
});

test('a file of an unsupported type fails with unsupported_type', async () => {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0)]), 'notes.txt.gz');
  const added = await mneme.request('POST', '/v3/documents/file', form);
  expect(await mneme.settled(added.body.id as string)).toMatchObject({
    status: 'failed',
    type: 'text',
    processingError: { code: 'unsupported_type' },
  });
});

test('content is returned unchanged', async () => {
  for (const content of [
    '  spaces \r\n and\ttabs \u0000 \uD800 lone ',
    `${'long \uDC00 '.repeat(20_000)}`,
    '{"a":1}',
  ]) {
    const id = await mneme.add(content, { containerTag: 'exact' });
    const { content: stored } = await mneme.settled(id);
    expect(stored === content).toBe(true);
  }
});

test('the event feed sends new events without content and can be resumed', async () => {
  const stop = new AbortController();
  const id = await mneme.addAndWait('A secret pomegranate.', { containerTag: 'events', customId: 'pome' });
  const read = async (after: string) => {
    const response = await fetch(`${mneme.url}/v3/events?containerTag=events&after=${after}`, {
      headers: { authorization: 'Bearer sm_test_owner_key_0123456789' },
      signal: stop.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    let text = '';
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.includes('event: DocumentIndexed')) break;
    }
    return text;
  };
  const { body: health } = await mneme.get('/v3/events?after=nonsense');
  expect(health.code).toBe('invalid_request');
  const live = fetch(`${mneme.url}/v3/events`, {
    headers: { authorization: 'Bearer sm_test_owner_key_0123456789' },
    signal: stop.signal,
  });
  const response = await live;
  await mneme.add('Another pomegranate.', { containerTag: 'events' });
  let first = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    first += part;
    if (/^id: \S+/m.test(first)) break;
  }
  const storeId = /^id: ([^:\s]+):/m.exec(first)?.[1] as string;
  const all = await read(`${storeId}:0`);
  stop.abort();
  expect(all).toContain(`"documentId":"${id}"`);
  expect(all).toContain('event: DocumentAdded');
  expect(all).not.toMatch(/pomegranate|pome\b/);
});

test('GET /v3/documents/{id}/events returns events without content, also after the deletion', async () => {
  interface History {
    events: { id: string; type: string; actor: string; causationId: string | null; stage?: string }[];
  }
  const id = await mneme.addAndWait('A quiet persimmon.', { customId: 'persi/1', metadata: { fruit: 'persimmon' } });
  const byCustomId = await mneme.get<History>(`/v3/documents/${encodeURIComponent('persi/1')}/events`);
  const formed = ['ContentExtracted', 'ContentChunked', 'MemoriesFormed', 'SummaryFormed'];
  const types = ['DocumentAdded', ...formed, 'DocumentIndexed'];
  expect(byCustomId.body.events.map(({ type }) => type)).toEqual(types);
  const [added, extracted] = byCustomId.body.events;
  expect(added).toMatchObject({
    documentId: id,
    actor: expect.stringMatching(/^key:/),
    causationId: null,
    revision: 0,
  });
  expect(extracted).toMatchObject({ actor: 'system', causationId: added?.id, stage: 'extracting', contentVersion: 1 });

  await mneme.request('DELETE', `/v3/documents/${id}`);
  const after = await mneme.get<History>(`/v3/documents/${id}/events`);
  expect(after.status).toBe(200);
  expect(after.body.events.slice(0, -1)).toEqual(byCustomId.body.events);
  expect(after.body.events.at(-1)).toMatchObject({ type: 'DocumentDeleted', actor: added?.actor });
  expect(JSON.stringify(after.body)).not.toMatch(/persi/);
  expect((await mneme.get(`/v3/documents/${encodeURIComponent('persi/1')}/events`)).status).toBe(404);
  expect((await mneme.get(`/v3/documents/${'A'.repeat(22)}/events`)).status).toBe(404);
});

test('a failed document can be retried, a retry of any other is a 409', async () => {
  const id = await mneme.add('http://192.0.2.1/retry.html');
  expect(await mneme.settled(id)).toMatchObject({ status: 'failed' });
  expect(await mneme.post(`/v3/documents/${id}/retry`)).toMatchObject({ status: 200, body: { id, status: 'queued' } });
  await eventually(async () => {
    const { body } = await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`);
    return body.events.filter(({ type }) => type === 'ProcessingFailed').length === 2 || null;
  });
  const done = await mneme.addAndWait('Nothing to retry.');
  const refused = await mneme.post(`/v3/documents/${done}/retry`);
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(refused.headers.get('x-should-retry')).toBe('false');
  expect((await mneme.post('/v3/documents/nobody/retry')).status).toBe(404);
});

test('after a deletion no file contains a word of the document', async () => {
  const word = 'quetzalcoatlus';
  const ids = [
    await mneme.addAndWait(`A ${word} flew by. ${'It was a long day. '.repeat(50)}`, {
      metadata: { seen: `${word}-meta` },
    }),
    await mneme.addAndWait(`${'Many words. '.repeat(9_000)} The ${word} again.`),
  ];
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => mneme.add(`Filler ${i}: ${word.slice(0, 5)} ${'noise '.repeat(i % 40)}`)),
  );
  for (const id of ids) expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  await untilErased(mneme, [word]);
});
