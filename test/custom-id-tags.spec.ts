import { eventually, Mneme } from './support/mneme.ts';

/** A customId names one document for each set of tags (contract §3.3), over HTTP. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const DEFAULT = 'sm_project_default';

type Added = { readonly id: string };
const send = async (customId: string, content: string, ...containerTags: readonly string[]) => {
  const fields = containerTags.length === 0 ? {} : { containerTags };
  const { status, body } = await mneme.post<Added>('/v3/documents', { content, customId, ...fields });
  expect(status).toBe(200);
  return body.id;
};
const get = (name: string, query = '') => mneme.get(`/v3/documents/${name}${query}`);
const contentOf = async (id: string) => (await get(id)).body.content;
const tagsOf = async (id: string) => (await get(id)).body.containerTags;
const found = async (q: string, containerTag: string) =>
  (
    await mneme.post<{ results: { content: string }[] }>('/v4/search', {
      q,
      containerTag,
      threshold: 0,
      searchMode: 'hybrid',
    })
  ).body.results.map(({ content }) => content);

test('an add in other tags begins a document of its own, and neither shows what the other says', async () => {
  const first = await send('session', 'The walrus sleeps.', 'alpha');
  const second = await send('session', 'The okapi eats.', 'beta');
  const both = await send('session', 'The heron waits.', 'alpha', 'beta');
  expect(new Set([first, second, both]).size).toBe(3);
  expect(await send('session', 'The walrus wakes.', 'alpha')).toBe(first);
  expect(await send('session', 'The heron strikes.', 'beta', 'alpha')).toBe(both);
  expect(await contentOf(first)).toBe('The walrus sleeps.\nThe walrus wakes.');
  expect(await contentOf(second)).toBe('The okapi eats.');
  expect(await tagsOf(both)).toEqual(['alpha', 'beta']);
  for (const id of [first, second, both]) await mneme.settled(id);
  expect(await found('walrus okapi', 'beta')).not.toContainEqual(expect.stringContaining('walrus'));
  expect(await found('walrus okapi', 'alpha')).not.toContainEqual(expect.stringContaining('okapi'));
});

test.each(['upload', 'batch', 'conversation'])('the same of an %s', async (way) => {
  const customId = `by ${way}`;
  const add = async (tag: string) => {
    if (way === 'batch') {
      const documents = [{ content: `In ${tag}.`, customId, containerTag: tag }];
      return (await mneme.post<{ results: Added[] }>('/v3/documents/batch', { documents })).body.results[0]?.id;
    }
    if (way === 'conversation') {
      const messages = [{ role: 'user', content: `In ${tag}.` }];
      const body = { conversationId: customId, messages, containerTags: [tag] };
      return (await mneme.post<Added>('/v4/conversations', body)).body.id;
    }
    const form = new FormData();
    form.append('file', new File([`In ${tag}.`], 'a.txt'));
    form.append('customId', customId);
    form.append('containerTag', tag);
    return (await mneme.request<Added>('POST', '/v3/documents/file', form)).body.id;
  };
  const ids = [await add('one'), await add('two'), await add('one')];
  expect(ids[0]).not.toBe(ids[1]);
  expect(ids[2]).toBe(ids[0]);
  expect(await tagsOf(ids[0] ?? '')).toEqual(['one']);
});

test('a batch adds to the documents of each set of tags', async () => {
  const item = (content: string, ...containerTags: readonly string[]) => ({ content, customId: 'many', containerTags });
  const { body } = await mneme.post<{ results: Added[]; success: number }>('/v3/documents/batch', {
    documents: [item('A1.', 'a'), item('B1.', 'b'), item('A2.', 'a'), item('AB.', 'b', 'a'), item('B2.', 'b')],
  });
  expect(body.success).toBe(5);
  const [a, b, again, ab, last] = body.results.map(({ id }) => id) as [string, string, string, string, string];
  expect([again, last]).toEqual([a, b]);
  expect(await Promise.all([a, b, ab].map(contentOf))).toEqual(['A1.\nA2.', 'B1.\nB2.', 'AB.']);
});

test('simultaneous first adds make one document for each set of tags', async () => {
  const tags = ['t0', 't1', 't2', 't3'];
  const sent = Array.from({ length: 32 }, (_, i) => send('at once', `Entry ${i}.`, tags[i % 4] as string));
  const ids = await Promise.all(sent);
  expect(new Set(ids).size).toBe(4);
  for (const [i, id] of ids.entries()) expect(await tagsOf(id)).toEqual([tags[i % 4]]);
});

describe('an add without tags', () => {
  test('goes to the only document of the customId, whatever its tags are', async () => {
    const id = await send('alone', 'One.', 'private');
    expect(await send('alone', 'Two.')).toBe(id);
    expect(await tagsOf(id)).toEqual(['private']);
  });

  test('goes to the one in the default tag alone if there are several, and else begins one there', async () => {
    const ids = [await send('several', 'One.', 'x'), await send('several', 'Two.', 'y')];
    const id = await send('several', 'Three.');
    expect(ids).not.toContain(id);
    expect(await tagsOf(id)).toEqual([DEFAULT]);
    expect(await send('several', 'Four.')).toBe(id);
  });

  test('goes to the one that is left', async () => {
    const [gone, left] = [await send('left', 'One.', 'x'), await send('left', 'Two.', 'y')];
    await mneme.request('DELETE', `/v3/documents/${gone}`);
    expect(await send('left', 'Three.')).toBe(left);
    expect(await send('left', 'Four.', 'x')).not.toBe(gone);
  });
});

describe('a customId of several documents', () => {
  let ids: readonly [string, string, string];
  beforeAll(async () => {
    ids = [
      await send('shared', 'In p.', 'p'),
      await send('shared', 'In q.', 'q'),
      await send('shared', 'In both.', 'p', 'q'),
    ];
  });

  test.each([
    ['GET', ''],
    ['GET', '/chunks'],
    ['GET', '/events'],
    ['GET', '/file-url'],
    ['PATCH', ''],
    ['POST', '/retry'],
    ['DELETE', ''],
  ])('%s %s is a 404 that names them', async (method, path) => {
    const body = method === 'PATCH' ? { metadata: { a: 1 } } : undefined;
    const answer = await mneme.request(method, `/v3/documents/shared${path}`, body);
    expect(answer).toMatchObject({ status: 404, body: { code: 'ambiguous_custom_id' } });
    for (const id of ids) expect(answer.body.details).toContain(id);
    expect(answer.body.details).toContain('(p, q)');
  });

  test('?containerTag= picks one, of several the one with this tag alone', async () => {
    expect((await get('shared', '?containerTag=p')).body.id).toBe(ids[0]);
    expect((await get('shared', '?containerTag=q')).body.id).toBe(ids[1]);
    expect((await get('shared', '?containerTag=r')).status).toBe(404);
    expect((await get(ids[0], '?containerTag=q')).status).toBe(404);
    await mneme.request('PATCH', '/v3/documents/shared?containerTag=q', { metadata: { picked: true } });
    expect((await get(ids[1])).body.metadata).toEqual({ picked: true });
  });

  test('a search in one of them is picked by the tags of the search', async () => {
    for (const id of ids) await mneme.settled(id);
    const search = (fields: object) => mneme.post('/v3/search', { q: '*', docId: 'shared', ...fields });
    expect((await search({})).body.code).toBe('ambiguous_custom_id');
    expect((await search({ containerTags: ['q'] })).body.results).toMatchObject([{ documentId: ids[1] }]);
  });

  test('by-ids returns all of them, and a bulk deletion none', async () => {
    const { body } = await mneme.post<{ documents: Added[] }>('/v3/documents/documents/by-ids', {
      ids: ['shared'],
      by: 'customId',
    });
    expect(body.documents.map(({ id }) => id)).toEqual(ids);
    const { body: deleted } = await mneme.request('DELETE', '/v3/documents/bulk', { ids: ['shared'] });
    const errors = [{ id: 'shared', error: 'Several documents have this customId' }];
    expect(deleted).toMatchObject({ success: false, deletedCount: 0, errors });
    for (const id of ids) expect((await get(id)).status).toBe(200);
  });
});

describe('a deletion by customId and tag', () => {
  const remove = async (name: string, headers: Record<string, string> = {}) =>
    (await mneme.request('DELETE', `/v3/documents/${name}`, undefined, headers)).status;

  test('takes the document with this tag alone, and no other one if it is repeated', async () => {
    const [p, q] = [await send('once', 'In p.', 'p'), await send('once', 'In q.', 'q')];
    const both = await send('once', 'In both.', 'p', 'q');
    for (const tag of ['p', 'q']) {
      expect(await remove(`once?containerTag=${tag}`)).toBe(204);
      expect(await remove(`once?containerTag=${tag}`)).toBe(404);
      expect(await remove(`once?containerTag=${tag}`, { 'x-stainless-retry-count': '1' })).toBe(404);
    }
    expect([(await get(p)).status, (await get(q)).status]).toEqual([404, 404]);
    expect(await contentOf(both)).toBe('In both.');
    expect(await remove('once')).toBe(204);
  });

  test('takes no document that has another tag, which its id names', async () => {
    const id = await send('two tags', 'In both.', 'p', 'q');
    expect((await get('two%20tags', '?containerTag=p')).body.id).toBe(id);
    expect(await remove('two%20tags?containerTag=p')).toBe(404);
    expect(await remove(`${id}?containerTag=p`)).toBe(204);
  });
});

describe('an update', () => {
  test('is a 409 only if customId and tags would both be those of another document', async () => {
    const [x, y] = [await send('taken', 'One.', 'x'), await send('other', 'Two.', 'y')];
    const patch = (id: string, body: object) => mneme.request('PATCH', `/v3/documents/${id}`, body);
    expect((await patch(y, { customId: 'taken' })).status).toBe(200);
    const refused = await patch(y, { containerTag: 'x' });
    expect(refused).toMatchObject({ status: 409, body: { details: 'customId' } });
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect((await patch(y, { containerTags: ['x', 'y'] })).status).toBe(200);
    expect((await patch(x, { containerTags: ['y', 'x'] })).status).toBe(409);
    expect((await patch(x, { metadata: { a: 1 }, containerTag: 'x' })).status).toBe(200);
    expect(await send('taken', 'Three.', 'y', 'x')).toBe(y);
  });

  test('leaves its former tags to a new document, and has the adds in its new ones', async () => {
    const id = await send('moves', 'One.', 'from');
    await mneme.request('PATCH', `/v3/documents/${id}`, { containerTag: 'to' });
    expect(await send('moves', 'Two.', 'to')).toBe(id);
    const next = await send('moves', 'Three.', 'from');
    expect(next).not.toBe(id);
    expect(await send('moves', 'Four.', 'to')).toBe(id);
    await mneme.request('PATCH', `/v3/documents/${next}`, { containerTag: 'elsewhere' });
    expect(await send('moves', 'Five.', 'elsewhere')).toBe(next);
  });
});

async function merged(source: string, target: string) {
  const { body } = await mneme.post('/v3/container-tags/merge', {
    containerTags: [source],
    targetContainerTag: target,
  });
  await eventually(async () => {
    const { body: merge } = await mneme.get(`/v3/container-tags/merge/${body.mergeId}`);
    return merge.status === 'completed' ? true : null;
  });
}

test('documents that a merge makes equal stay, and adds go to the oldest', async () => {
  const older = await send('merged', 'Older.', 'source');
  const newer = await send('merged', 'Newer.', 'target');
  await merged('source', 'target');
  expect(await tagsOf(older)).toEqual(['target']);
  expect(await send('merged', 'Later.', 'target')).toBe(older);
  expect(await contentOf(newer)).toBe('Newer.');
  await mneme.request('DELETE', `/v3/documents/${older}`);
  expect(await send('merged', 'Last.', 'target')).toBe(newer);
});

test('an export keeps the documents of one customId apart', async () => {
  const folder = `${mneme.folder}-export-of-names`;
  expect(await mneme.cli('export', folder)).toMatchObject({ code: 0 });
  const other = await Mneme.start();
  try {
    expect(await other.cli('import', folder)).toMatchObject({ code: 0 });
    for (const [name, tag, id] of [
      ['session', 'alpha', (await get('session', '?containerTag=alpha')).body.id],
      ['session', 'beta', (await get('session', '?containerTag=beta')).body.id],
    ] as const) {
      expect((await other.get(`/v3/documents/${name}?containerTag=${tag}`)).body.id).toBe(id);
      const { body } = await other.post<Added>('/v3/documents', {
        content: 'More.',
        customId: name,
        containerTag: tag,
      });
      expect(body.id).toBe(id);
    }
  } finally {
    await other.stop();
  }
});
