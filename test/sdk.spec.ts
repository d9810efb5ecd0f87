import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Supermemory, { toFile } from 'supermemory';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

/** The published client from npm against this server. */

let mneme: Mneme;
let client: Supermemory;
let folder: string;

beforeAll(async () => {
  mneme = await Mneme.start();
  folder = await mkdtemp(join(tmpdir(), 'mneme-sdk-'));
  // The documented way to set the server's address in the client.
  process.env.SUPERMEMORY_BASE_URL = mneme.url;
  process.env.SUPERMEMORY_API_KEY = OWNER_KEY;
  client = new Supermemory();
});

afterAll(async () => {
  delete process.env.SUPERMEMORY_BASE_URL;
  delete process.env.SUPERMEMORY_API_KEY;
  await mneme.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The client's types list the vendor's stages; this server returns the four states of the contract. */
const statusOf = ({ status }: { readonly status: string }): string => status;

const done = (id: string) =>
  eventually(async () => {
    const document = await client.documents.get(id);
    if (statusOf(document) === 'failed') throw new Error(`${id} failed: ${JSON.stringify(document)}`);
    return statusOf(document) === 'done' ? document : null;
  });

/** Returns the number of results for this tag and word in every list and search. */
async function resultCounts(containerTag: string, q: string) {
  const [documents, memories, hybrid, profile, list] = await Promise.all([
    client.search.documents({ q, containerTags: [containerTag] }),
    client.search.memories({ q, containerTag, threshold: 0 }),
    client.search({ q, containerTag, threshold: 0, searchMode: 'hybrid' }),
    client.profile({ containerTag, q, threshold: 0 }),
    client.documents.list({ containerTags: [containerTag] }),
  ]);
  return {
    documents: documents.results.length,
    memories: memories.results.length,
    hybrid: hybrid.results.length,
    profile: profile.profile.dynamic.length,
    profileSearch: profile.searchResults?.results.length,
    list: list.memories.length,
  };
}

const NO_RESULTS = { documents: 0, memories: 0, hybrid: 0, profile: 0, profileSearch: 0, list: 0 };

test('a document is added, found by every search, listed, and after its deletion found nowhere', async () => {
  const containerTag = 'sdk/user 1';
  const text = 'user: My sister Ottilie keeps bees in Tromsø.\nassistant: How lovely, since when?';
  const added = await client.add({
    content: text,
    containerTag,
    customId: 'sdk/talk:1',
    metadata: { topic: 'family', year: 2024, starred: true },
  });
  expect(added).toMatchObject({ id: expect.stringMatching(/^[A-Za-z0-9]{22}$/), status: 'queued' });

  const document = await done(added.id);
  expect(document).toMatchObject({
    id: added.id,
    customId: 'sdk/talk:1',
    content: text,
    containerTags: [containerTag],
    metadata: { topic: 'family', year: 2024, starred: true },
    type: 'text',
  });
  expect((await client.documents.get('sdk/talk:1')).id).toBe(added.id);

  const documents = await client.search.documents({
    q: 'Ottilie bees',
    containerTags: [containerTag],
    includeFullDocs: true,
    onlyMatchingChunks: true,
    limit: 3,
  });
  expect(documents).toMatchObject({ total: 1, timing: expect.any(Number) });
  expect(documents.results).toMatchObject([
    { documentId: added.id, content: text, score: expect.any(Number), chunks: [{ isRelevant: true }] },
  ]);

  const memories = await client.search.memories({ q: 'Who keeps bees?', containerTag, threshold: 0, limit: 5 });
  expect(memories.results[0]).toMatchObject({
    id: expect.any(String),
    memory: expect.stringContaining('Ottilie'),
    similarity: expect.any(Number),
    metadata: { topic: 'family' },
  });

  const { profile, searchResults } = await client.profile({ containerTag, q: 'bees', threshold: 0 });
  expect(profile).toMatchObject({ static: [], dynamic: expect.arrayContaining([expect.stringContaining('Ottilie')]) });
  expect(searchResults?.results.length).toBeGreaterThan(0);

  const list = await client.documents.list({ containerTags: [containerTag], limit: 10 });
  expect(list.memories.map(({ id }) => id)).toEqual([added.id]);
  expect(list.pagination).toEqual({ currentPage: 1, totalPages: 1, totalItems: 1, limit: 10 });
  expect((await client.documents.listProcessing()).documents.map(({ id }) => id)).not.toContain(added.id);

  await client.documents.delete('sdk/talk:1');
  expect(await resultCounts(containerTag, 'Ottilie')).toEqual(NO_RESULTS);
  for (const name of [added.id, 'sdk/talk:1']) {
    await expect(client.documents.get(name)).rejects.toBeInstanceOf(Supermemory.NotFoundError);
  }
});

test('a memory is corrected and forgotten, by id and by text', async () => {
  const containerTag = 'sdk-memories';
  const recorded = await client.post<{ memories: { id: string }[] }>('/v4/memories', {
    body: { containerTag, memories: [{ content: 'Ottilie lives in Tromsø.', metadata: { topic: 'home' } }] },
  });
  const id = recorded.memories[0]?.id as string;
  const updated = await client.memories.updateMemory({
    ...{ containerTag, content: 'Ottilie lives in Tromsø.', newContent: 'Ottilie lives in Bodø.' },
    ...{ forgetAfter: '2999-01-01T00:00:00.000Z', forgetReason: 'The lease ends.' },
  });
  expect(updated).toMatchObject({
    ...{ memory: 'Ottilie lives in Bodø.', version: 2, parentMemoryId: id, rootMemoryId: id },
    ...{ forgetAfter: '2999-01-01T00:00:00.000Z', forgetReason: 'The lease ends.', metadata: { topic: 'home' } },
  });
  const kept = { containerTag, id, newContent: 'Ottilie lives in Bodø.', forgetAfter: null };
  expect(await client.memories.updateMemory(kept)).toMatchObject({ version: 3, forgetAfter: null, forgetReason: null });
  const { results } = await client.search.memories({ q: 'Where does Ottilie live?', containerTag, threshold: 0 });
  expect(results).toMatchObject([{ memory: 'Ottilie lives in Bodø.', version: 3 }]);

  const latest = results[0]?.id as string;
  expect(await client.memories.forget({ containerTag, id, reason: 'wrong' })).toEqual({ id: latest, forgotten: true });
  expect(await client.search.memories({ q: 'Ottilie', containerTag, threshold: 0 })).toMatchObject({ results: [] });
  const forgotten = { q: 'Ottilie', containerTag, threshold: 0, include: { forgottenMemories: true } };
  expect(await client.search.memories(forgotten)).toMatchObject({ results: [{ id: latest }] });
  const again = client.memories.forget({ containerTag, content: 'Ottilie lives in Bodø.' });
  await expect(again).rejects.toBeInstanceOf(Supermemory.ConflictError);
  const unknown = client.memories.forget({ containerTag, content: 'Ottilie lives in Tromsø.' });
  await expect(unknown).rejects.toBeInstanceOf(Supermemory.NotFoundError);
});

test('a document deleted during processing does not reappear', async () => {
  const containerTag = 'sdk-interrupted';
  const { id } = await client.add({ content: 'Gone before it was read: gorgonzola.', containerTag });
  await client.documents.delete(id);
  const witness = await client.add({ content: 'A witness.', containerTag: 'sdk-interrupted-witness' });
  await done(witness.id);
  expect(await resultCounts(containerTag, 'gorgonzola')).toEqual(NO_RESULTS);
});

test('an add with the same customId immediately after the first appends', async () => {
  const first = await client.add({
    content: 'user: I moved to Lund.',
    customId: 'sdk-delta',
    containerTag: 'sdk-delta',
  });
  const delta = await client.add({ content: 'user: And then to Malmö.', customId: 'sdk-delta' });
  expect(delta).toEqual({ id: first.id, status: expect.any(String) });
  expect((await done(first.id)).content).toBe('user: I moved to Lund.\nuser: And then to Malmö.');
});

test('a document is updated at once and by its customId, then read as changed', async () => {
  const containerTag = 'sdk-update';
  const { id } = await client.documents.add({
    ...{ content: 'The ferry leaves at seven.', containerTag, customId: 'sdk-ferry', metadata: { pier: 2 } },
  });
  // Before it is processed, too.
  expect(await client.documents.update(id, { content: 'The ferry leaves at nine.' })).toMatchObject({ id });
  expect(await client.documents.update('sdk-ferry', { metadata: { pier: 3 } })).toMatchObject({ id });
  expect(await done(id)).toMatchObject({ content: 'The ferry leaves at nine.', metadata: { pier: 3 } });
  const found = async (q: string) => (await client.search.documents({ q, containerTags: [containerTag] })).results;
  expect(await found('nine')).toHaveLength(1);
  expect(await found('seven')).toEqual([]);
});

test('a batch is listed in pages, and deleted by ids and by tag', async () => {
  const containerTag = 'sdk-batch';
  const { results, success, failed } = await client.documents.batchAdd({
    documents: [
      { content: 'The first gull.', customId: 'sdk-gull' },
      { content: ' ' },
      { content: 'The second.' },
      { content: 'The third.' },
    ],
    containerTag,
    metadata: { kind: 'gull' },
  });
  expect({ success, failed }).toEqual({ success: 3, failed: 1 });
  const [first = '', , second = '', third = ''] = results.map(({ id }) => id);
  const page = (number: number) =>
    client.documents.list({
      ...{ containerTags: [containerTag], limit: 2, page: number, sort: 'createdAt', order: 'asc' },
      filters: { AND: [{ key: 'kind', value: 'gull' }] },
      includeContent: true,
    });
  const pages = await Promise.all([page(1), page(2)]);
  expect(pages.map(({ memories }) => memories.length)).toEqual([2, 1]);
  const contents = pages.flatMap(({ memories }) => memories.map(({ content }) => content));
  expect(contents.sort()).toEqual(['The first gull.', 'The second.', 'The third.']);
  expect(pages[1]?.pagination).toEqual({ currentPage: 2, totalPages: 2, totalItems: 3, limit: 2 });

  expect(await client.documents.deleteBulk({ ids: [second, 'unknown'] })).toMatchObject({
    ...{ success: false, deletedCount: 1, errors: [{ id: 'unknown', error: expect.any(String) }] },
  });
  expect(await client.documents.deleteBulk({ containerTags: [containerTag] })).toMatchObject({
    ...{ success: true, deletedCount: 2, containerTags: [containerTag] },
  });
  expect((await page(1)).memories).toEqual([]);
  for (const id of [first, second, third, 'sdk-gull']) {
    await expect(client.documents.get(id)).rejects.toBeInstanceOf(Supermemory.NotFoundError);
  }
});

test('the raw response has status, headers and body', async () => {
  const added = client.add({ content: 'Raw.', containerTag: 'sdk-raw' });
  const raw = await added.asResponse();
  expect(raw.status).toBe(200);
  expect(raw.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { data, response } = await client.documents.get(((await raw.json()) as { id: string }).id).withResponse();
  expect(data.content).toBe('Raw.');
  expect(response.headers.get('x-request-id')).toMatch(/./);
  expect((await client.documents.delete(data.id).asResponse()).status).toBe(204);
});

describe('an upload', () => {
  const text = 'The lighthouse keeper counts cormorants.';

  test.each<[string, () => Promise<Parameters<Supermemory['documents']['uploadFile']>[0]['file']>, string]>([
    ['a buffer with a name', () => toFile(Buffer.from(text), 'notes.txt'), 'notes.txt'],
    ['a File', async () => new File([text], 'keeper.md', { type: 'text/markdown' }), 'keeper.md'],
    [
      'a read stream',
      async () => {
        await writeFile(join(folder, 'streamed.txt'), text);
        return createReadStream(join(folder, 'streamed.txt'));
      },
      'streamed.txt',
    ],
    ['a buffer without a name', () => toFile(Buffer.from(text)), 'unknown_file'],
    ['a name without an ending', () => toFile(Buffer.from(text), 'LOGBOOK'), 'LOGBOOK'],
  ])('of %s is read, titled and found', async (kind, file, title) => {
    const containerTag = `sdk-upload ${kind}`;
    const added = await client.documents.uploadFile({
      file: await file(),
      containerTags: containerTag,
      metadata: JSON.stringify({ shelf: 7 }),
    });
    const document = await done(added.id);
    expect(document).toMatchObject({ title, content: text, metadata: { shelf: 7 }, containerTags: [containerTag] });
    const { results } = await client.search.documents({ q: 'cormorants', containerTags: [containerTag] });
    expect(results.map(({ documentId }) => documentId)).toEqual([added.id]);
    await client.documents.delete(added.id);
    expect(await resultCounts(containerTag, 'cormorants')).toEqual(NO_RESULTS);
  });
});

describe('errors of the client', () => {
  test('400 names the field', async () => {
    const refused = client.add({ content: '   ' });
    await expect(refused).rejects.toBeInstanceOf(Supermemory.BadRequestError);
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: '400 content must not be blank',
      error: { code: 'invalid_request', details: 'content', error: expect.any(String), requestId: expect.any(String) },
    });
    const metadata = client.add({ content: 'x', metadata: { tags: ['a'] as never } });
    await expect(metadata).rejects.toMatchObject({
      message: '400 metadata.tags must be a string, number or boolean',
      error: { code: 'invalid_metadata', details: 'metadata.tags' },
    });
  });

  test('401 for an unknown key', async () => {
    const stranger = new Supermemory({ apiKey: 'sm_nobody_0123456789abcdef' });
    const refused = stranger.documents.list({});
    await expect(refused).rejects.toBeInstanceOf(Supermemory.AuthenticationError);
    await expect(refused).rejects.toMatchObject({ status: 401, error: { code: 'unauthorized' } });
  });

  test('403 for what a key of a tag does not permit, 429 beyond its own limit, 401 once it is revoked', async () => {
    const fields = { containerTag: 'sdk-scoped', permission: 'read', rateLimitMax: 3 };
    const { body: created } = await mneme.post<{ id: string; key: string }>('/v3/auth/scoped-key', fields);
    const scoped = new Supermemory({ apiKey: created.key, maxRetries: 0 });
    await scoped.documents.list({});
    for (const refused of [
      scoped.add({ content: 'x', containerTag: 'sdk-scoped' }),
      scoped.documents.list({ containerTags: ['sdk'] }),
    ]) {
      await expect(refused).rejects.toBeInstanceOf(Supermemory.PermissionDeniedError);
      await expect(refused).rejects.toMatchObject({ status: 403, error: { code: 'forbidden' } });
    }
    await expect(scoped.documents.list({})).rejects.toBeInstanceOf(Supermemory.RateLimitError);
    await mneme.request('DELETE', `/v3/auth/scoped-key/${created.id}`);
    await expect(scoped.documents.list({})).rejects.toBeInstanceOf(Supermemory.AuthenticationError);
  });

  test('404 for an unknown document', async () => {
    for (const call of [
      () => client.documents.get('unknown'),
      () => client.documents.delete('A'.repeat(22)),
      () => client.search.documents({ q: 'x', docId: 'unknown' }),
    ]) {
      const refused = call();
      await expect(refused).rejects.toBeInstanceOf(Supermemory.NotFoundError);
      await expect(refused).rejects.toMatchObject({ status: 404, error: { code: 'not_found' } });
    }
  });

  test('409 for another request with the same Idempotency-Key, without a retry', async () => {
    const headers = { 'Idempotency-Key': 'sdk-conflict' };
    await client.add({ content: 'The first request.', containerTag: 'sdk-conflict' }, { headers });
    const refused = client.add({ content: 'Another one.', containerTag: 'sdk-conflict' }, { headers });
    await expect(refused).rejects.toBeInstanceOf(Supermemory.ConflictError);
    await expect(refused).rejects.toMatchObject({ status: 409, error: { code: 'conflict' } });
  });

  test('429 has the time of the next attempt', async () => {
    const strict = await Mneme.start({ env: { MNEME_RATE_LIMIT: '2/60' } });
    try {
      const limited = new Supermemory({ baseURL: strict.url, maxRetries: 0 });
      const { response } = await limited.documents.list({}).withResponse();
      expect(response.headers.get('x-ratelimit-remaining')).toBe('1');
      await limited.documents.list({});
      const refused = await limited.documents.list({}).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Supermemory.RateLimitError);
      const { status, message, headers } = refused as InstanceType<typeof Supermemory.RateLimitError>;
      expect({ status, message }).toEqual({ status: 429, message: '429 Rate limit exceeded' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    } finally {
      await strict.stop();
    }
  });
});

describe('the former paths', () => {
  test('the client follows the redirect with method, body and key', async () => {
    const added = await client.post<{ id: string; status: string }>('/v3/memories', {
      body: { content: 'Added in the old way: a pelican.', containerTags: ['old/way'], customId: 'old way/1' },
    });
    expect(await done(added.id)).toMatchObject({ containerTags: ['old/way'], customId: 'old way/1' });
    const { memories } = await client.post<{ memories: { id: string }[] }>('/v3/memories/list', {
      body: { containerTags: ['old/way'] },
    });
    expect(memories.map(({ id }) => id)).toEqual([added.id]);
    const got = await client.get<{ id: string }>(`/v3/memories/${encodeURIComponent('old way/1')}`);
    expect(got.id).toBe(added.id);
    await client.delete(`/v3/memories/${added.id}`, { headers: { accept: '*/*' } });
    expect(await resultCounts('old/way', 'pelican')).toEqual(NO_RESULTS);
  });

  test('a redirected form is sent again to the new path', async () => {
    const form = new FormData();
    form.append('file', new Blob(['An old form with a heron.']), 'heron.txt');
    form.append('containerTags', 'old-form');
    const response = await fetch(`${mneme.url}/v3/memories/file?from=old`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OWNER_KEY}` },
      body: form,
    });
    expect(response.redirected).toBe(true);
    expect(response.status).toBe(200);
    const { id } = (await response.json()) as { id: string };
    expect(await done(id)).toMatchObject({ title: 'heron.txt', containerTags: ['old-form'] });
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    '%s returns 308 with the same rest of the path',
    async (method) => {
      for (const rest of ['', '/list', `/${encodeURIComponent('a/b c')}/chunks?x=%2F`]) {
        const { status, headers } = await mneme.request(method, `/v3/memories${rest}`, undefined, {
          authorization: '',
        });
        expect({ status, location: headers.get('location') }).toEqual({
          status: 308,
          location: `/v3/documents${rest}`,
        });
      }
    },
  );
});

describe('flows of the vendor documentation', () => {
  test('the profile of an unknown tag has every field and no memories', async () => {
    const answer = await client.profile({ containerTag: 'unknown tag', q: 'what do they like?' });
    expect(answer).toMatchObject({
      profile: { static: [], dynamic: [] },
      searchResults: { results: [], total: 0, timing: expect.any(Number) },
    });
    expect(await client.profile({ containerTag: 'unknown tag' })).not.toHaveProperty('searchResults');
  });

  test('quickstart: all three searches find a conversation and a handbook', async () => {
    const containerTag = 'quickstart';
    const talk = await client.add({
      content: 'user: I am Dana and I drink my coffee black.\nassistant: Noted, Dana.',
      containerTag,
      customId: 'quickstart-talk',
      metadata: { source: 'chat', sm_source: 'quickstart' },
    });
    const handbook = await client.add({
      content: '# Handbook\n\n## Coffee\n\nThe coffee machine is cleaned on Fridays.\n\n## Desk\n\nDesks are shared.',
      containerTag,
    });
    await done(talk.id);
    await done(handbook.id);
    const found = await client.search.documents({ q: 'coffee machine', containerTags: [containerTag], limit: 3 });
    expect(found.results[0]?.documentId).toBe(handbook.id);
    const memories = await client.search.memories({
      q: 'how does Dana drink coffee',
      containerTag,
      threshold: 0,
      include: { relatedMemories: true },
    });
    expect(memories.results.length).toBeGreaterThan(0);
    const { profile, searchResults } = await client.profile({ containerTag, q: 'coffee', threshold: 0 });
    expect(profile.dynamic.length).toBeGreaterThan(0);
    expect(searchResults?.results.length).toBeGreaterThan(0);
    const delta = await client.add({ content: 'user: I also like tea.', containerTag, customId: 'quickstart-talk' });
    expect(delta).toEqual({ id: talk.id, status: 'queued' });
    await done(talk.id);
  });

  test.each<[string, Partial<Parameters<Supermemory['search']>[0]>]>([
    ['one threshold for both', { threshold: 0.6, limit: 5 }],
    ['a low threshold without a tag', { threshold: 0.3, containerTag: undefined }],
    ['a high threshold without a tag', { threshold: 0.8, containerTag: undefined }],
    ['hybrid', { searchMode: 'hybrid', threshold: 0 }],
    ['memories', { searchMode: 'memories' }],
    [
      'with rerank, rewriteQuery and every include',
      {
        rerank: true,
        rewriteQuery: true,
        aggregate: true,
        include: { documents: true, summaries: true, relatedMemories: true, forgottenMemories: true },
      },
    ],
    [
      'filtered',
      {
        filters: {
          AND: [
            { key: 'year', value: '2024' },
            { key: 'kind', value: 'x', negate: true },
          ],
        },
      },
    ],
  ])('search: %s', async (_, options) => {
    for (const containerTag of ['search-flow', 'an empty tag']) {
      const answer = await client.search({ q: 'Where is the umbrella?', containerTag, ...options });
      expect(answer).toMatchObject({ results: expect.any(Array), timing: expect.any(Number) });
      expect(answer.total).toBe(answer.results.length);
      const similarities = answer.results.map(({ similarity }) => similarity);
      expect(similarities).toEqual([...similarities].sort((a, b) => b - a));
      expect(similarities.every((one) => one >= (options.threshold ?? 0.6))).toBe(true);
    }
  });

  test('search: options that add to the results', async () => {
    const containerTag = 'search-options';
    const talk = await client.add({
      content: 'Ann: The umbrella is broken.\nBo: I mend it on Sunday.\nAnn: Thank you.',
      containerTag,
    });
    const note = await client.add({ content: 'The umbrella was bought in Braga.', containerTag });
    for (const { id } of [talk, note]) await done(id);
    const { results, total } = await client.search({
      ...{ q: 'umbrella', containerTag, threshold: 0, aggregate: true },
      include: { documents: true, summaries: true, relatedMemories: true, chunks: true },
    });
    expect(total).toBe(results.length);
    const joined = results.find(({ isAggregated }) => isAggregated);
    expect((joined?.memory ?? joined?.chunk)?.split('\n').length).toBeGreaterThan(1);
    expect(joined?.documents?.map(({ id }) => id).sort()).toEqual([talk.id, note.id].sort());
    for (const { context, chunks, documents } of results) {
      expect(context).toEqual({ parents: [], children: [], related: expect.any(Array) });
      expect(chunks?.every(({ documentId }) => documents?.some(({ id }) => id === documentId))).toBe(true);
      expect(documents?.every((document) => 'summary' in document)).toBe(true);
    }
    const broken = results.find(({ memory, isAggregated }) => !isAggregated && memory?.includes('broken'));
    expect(broken?.context?.related?.map(({ relation, memory }) => [relation, memory])).toEqual([
      ['extends', expect.stringContaining('Sunday')],
    ]);
    const found = await client.search.documents({
      ...{ q: 'umbrella', containerTags: [containerTag], includeSummary: true, categoriesFilter: ['technology'] },
    });
    expect(found.results.map(({ documentId }) => documentId).sort()).toEqual([talk.id, note.id].sort());
    expect(found.results.every((result) => 'summary' in result)).toBe(true);
  });

  test('search: each result of a hybrid search is either a memory or a chunk', async () => {
    const { id } = await client.add({
      content: 'The umbrella stands behind the piano.',
      containerTag: 'search-flow',
      metadata: { year: 2024 },
    });
    await done(id);
    const filters = { AND: [{ key: 'year', value: '2024' }] };
    const { results } = await client.search({
      q: 'umbrella',
      containerTag: 'search-flow',
      searchMode: 'hybrid',
      threshold: 0,
      filters,
    });
    expect(results.length).toBeGreaterThan(0);
    for (const result of results) {
      expect('memory' in result).toBe(!('chunk' in result));
      expect(result).not.toHaveProperty('context');
    }
    const combined = await client.search.documents({
      q: 'umbrella',
      containerTags: ['search-flow'],
      documentThreshold: 0.6,
      chunkThreshold: 0.6,
      limit: 5,
      filters,
    });
    for (const { score, chunks } of combined.results) {
      expect(score).toBeGreaterThanOrEqual(0.6);
      for (const chunk of chunks) expect(chunk.score).toBeGreaterThanOrEqual(0.6);
    }
  });
});
