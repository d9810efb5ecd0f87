import { ExampleRun, formOf, keyFor, WITH_MORE, WITHOUT_SITES } from './support/example-run.ts';
import { eventually, INSTALLATION_KEY, Mneme, OWNER_KEY } from './support/mneme.ts';
import { type Example, OpenApi } from './support/openapi.ts';

/**
 * Two organizations that do the same: every example of every operation, as the API describes itself, with the same tags,
 * customIds, texts and retries. What one does must not change what the other sees, and no answer may name what the other has.
 */

const api = OpenApi.read();
const ID = /\b[A-Za-z0-9]{22}\b/g;
/** Names and examples of the API that look like ids. */
const WORDS = new Set([...JSON.stringify(api.document).matchAll(ID)].map(([word]) => word));
/** Its stream does not end. */
const ENDLESS = ['followEvents'];
const isNotSent = ({ operation: { operationId } }: Example) =>
  ENDLESS.includes(operationId) || operationId in WITH_MORE;

let mneme: Mneme;
let second: string;
beforeAll(async () => {
  mneme = await Mneme.start({ env: { MNEME_RATE_LIMIT: '100000/60', ...WITHOUT_SITES } });
  const { body } = await mneme.post<{ key: string }>('/v3/organizations', { name: 'Mneme' }, as(INSTALLATION_KEY));
  second = body.key;
});
afterAll(() => mneme?.stop());

const as = (key: string) => ({ authorization: `Bearer ${key}` });

const isOfOperator = ({ operation }: Pick<Example, 'operation'>) => keyFor(operation) === INSTALLATION_KEY;

const send = (run: ExampleRun, key: string, example: Example) =>
  mneme.request(example.method, run.urlOf(example), formOf(example) ?? run.bodyOf(example) ?? undefined, as(key));

const isErasing = ({ method, operation }: Example) => method === 'DELETE' || operation.operationId === 'resetSettings';

/**
 * Sends every example of an organization's own operations. Returns the ids in the answers.
 * @param isLeftOut which ones are not sent
 */
async function doEverything(
  key: string,
  isLeftOut: (example: Example) => boolean = () => false,
): Promise<ReadonlySet<string>> {
  const run = new ExampleRun(mneme, key);
  const ids = new Set<string>();
  for (const example of api.examples) {
    if (isOfOperator(example) || isNotSent(example) || isLeftOut(example)) continue;
    const answer = await send(run, key, example);
    expect([example.operation.operationId, example.name, answer.status < 300]).toEqual([
      ...[example.operation.operationId, example.name, true],
    ]);
    // The page of the API is a text.
    for (const id of typeof answer.body === 'object' ? idsIn(answer.body) : []) ids.add(id);
    await run.goOn(example, answer.status, answer.body);
  }
  return ids;
}

/** What an organization has, as its own reads show it. */
async function everythingOf(key: string): Promise<unknown> {
  const read = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await mneme.request<Record<string, unknown>>(method, path, body, as(key));
    expect([method, path, status]).toEqual([method, path, 200]);
    const { timing: _, ...rest } = answer;
    return Array.isArray(answer) ? answer : rest;
  };
  const list = { limit: 100, includeContent: true };
  return {
    documents: await read('POST', '/v3/documents/list', list),
    tags: await read('GET', '/v3/container-tags/list'),
    projects: await read('GET', '/v3/projects'),
    settings: await read('GET', '/v3/settings'),
    audit: await read('GET', '/v3/audit?limit=100'),
    facets: await read('POST', '/v3/documents/documents/facets', {}),
    search: await read('POST', '/v4/search', { q: '*', limit: 100 }),
    documentsFound: await read('POST', '/v3/search', { q: 'walrus garden handbook maps train', limit: 100 }),
    profile: await read('POST', '/v4/profile', { containerTag: 'apart' }),
    context: await read('POST', '/v4/context', { q: '*', containerTag: 'apart' }),
    memories: await read('POST', '/v4/memories/list', { containerTags: ['apart'] }),
    members: await read('GET', '/v3/team/members'),
    invitations: await read('GET', '/v3/team/invitations'),
    keys: ((await read('GET', '/v3/auth/keys')) as { keys: { lastRequest: unknown }[] }).keys.map(
      ({ lastRequest: _, ...one }) => one,
    ),
  };
}

const idsIn = (answer: unknown): readonly string[] =>
  [...JSON.stringify(answer).matchAll(ID)].map(([id]) => id).filter((id) => !WORDS.has(id));

/** Adds what the examples may have erased again: the same in every organization. */
async function addTheSame(key: string): Promise<{ readonly document: string; readonly memory: string }> {
  const headers = { ...as(key), 'idempotency-key': 'the same key' };
  const body = {
    content: 'The walrus waits in the garden.',
    containerTag: 'apart',
    customId: 'same',
    filepath: '/same',
  };
  const added = await mneme.post<{ id: string }>('/v3/documents', body, headers);
  expect(added.status).toBe(200);
  expect((await mneme.post<{ id: string }>('/v3/documents', body, headers)).body.id).toBe(added.body.id);
  await eventually(async () => {
    const { body: record } = await mneme.get(`/v3/documents/${added.body.id}`, as(key));
    return record.status === 'done' ? true : null;
  });
  const made = await mneme.post<{ memories: { id: string }[] }>(
    '/v4/memories',
    { memories: [{ content: 'Mara has a walrus.' }], containerTag: 'apart' },
    as(key),
  );
  expect(made.status).toBe(201);
  await mneme.request('PATCH', '/v3/container-tags/apart', { entityContext: 'About a walrus.' }, as(key));
  return { document: added.body.id, memory: String(made.body.memories[0]?.id) };
}

test('every operation of one organization leaves the other as it was, and names nothing of it', async () => {
  // It keeps what the other one then erases under the same names.
  const ofFirst = await doEverything(OWNER_KEY, isErasing);
  const first = await addTheSame(OWNER_KEY);
  const before = await everythingOf(OWNER_KEY);
  const ofSecond = await doEverything(second);
  const other = await addTheSame(second);
  const after = await everythingOf(OWNER_KEY);
  expect(after).toEqual(before);

  const shared = [...ofSecond].filter((id) => ofFirst.has(id));
  expect(shared).toEqual([]);
  const shown = idsIn(await everythingOf(second));
  expect(shown).toContain(other.document);
  expect(shown.filter((id) => ofFirst.has(id) || id === first.document || id === first.memory)).toEqual([]);
  expect(idsIn(after).filter((id) => ofSecond.has(id) || id === other.document)).toEqual([]);
});

test('an id of the other organization does not exist, in every operation that takes one', async () => {
  const { document, memory } = await addTheSame(OWNER_KEY);
  const before = await everythingOf(OWNER_KEY);
  const own = new Set(idsIn(before));
  const { keys, members } = before as { keys: { id: string }[]; members: { members: { id: string }[] } };
  const ids = [document, memory, String(keys[0]?.id), String(members.members[0]?.id)];
  for (const example of api.examples) {
    if (isOfOperator(example) || isNotSent(example)) continue;
    const named = example.parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name);
    for (const id of named.length === 0 ? [] : ids) {
      const path = named.reduce((url, name) => url.replace(`{${name}}`, id), example.path);
      const answer = await mneme.request(example.method, path, example.body ?? undefined, as(second));
      const { message: _, ...rest } = Object(answer.body) as Record<string, unknown>;
      const named404 = [400, 404].includes(answer.status);
      // A tag comes into being by its name, which may be any text.
      const isTag = example.path.includes('{tag}');
      expect([example.method, example.path, named404 || isTag]).toEqual([example.method, example.path, true]);
      expect(idsIn(rest).filter((one) => own.has(one) && one !== id)).toEqual([]);
    }
  }
  const bodies: readonly (readonly [string, string, object])[] = [
    ['DELETE', '/v3/documents/bulk', { ids: [document, memory] }],
    ['POST', '/v3/documents/documents/by-ids', { ids: [document] }],
    ['DELETE', '/v4/memories', { id: memory, containerTag: 'apart' }],
    ['PATCH', '/v4/memories', { id: memory, newContent: 'Mara has nothing.', containerTag: 'apart' }],
    ['POST', '/v4/search', { q: 'walrus', docId: document }],
    ['POST', '/v3/search', { q: 'walrus', docId: document }],
  ];
  for (const [method, path, body] of bodies) {
    const { body: answer } = await mneme.request(method, path, body, as(second));
    const found = idsIn({ ...answer, message: null, errors: null, details: null }).filter((one) => own.has(one));
    expect([path, found]).toEqual([path, []]);
  }
  expect(await everythingOf(OWNER_KEY)).toEqual(before);
});

test('the event feed of one organization tells nothing of the other', async () => {
  const { body: session } = await mneme.get<{ org: { id: string } }>('/v3/session', as(second));
  const live = await fetch(`${mneme.url}/v3/events`, { headers: as(second) });
  const reader = (live.body as ReadableStream<Uint8Array>).getReader();
  await addTheSame(OWNER_KEY);
  const own = await mneme.post<{ id: string }>('/v3/documents', { content: 'An otter.' }, as(second));
  let text = '';
  await eventually(async () => {
    text += new TextDecoder().decode((await reader.read()).value);
    return text.includes(own.body.id) ? true : null;
  });
  await reader.cancel();
  const organizations = [...text.matchAll(/"organization":"(\w+)"/g)].map(([, id]) => id);
  expect(new Set(organizations)).toEqual(new Set([session.org.id]));
});
