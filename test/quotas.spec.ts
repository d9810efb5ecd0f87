import Supermemory from 'supermemory';
import { eventually, INSTALLATION_KEY, Mneme } from './support/mneme.ts';

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start({ env: { MNEME_INSTALLATION_KEY: INSTALLATION_KEY } });
});
afterAll(() => mneme?.stop());

interface Organization {
  readonly id: string;
  readonly key: string;
}

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const AS_OPERATOR = withKey(INSTALLATION_KEY);

const limit = (id: string, quotas: object) =>
  mneme.request('PATCH', `/v3/organizations/${id}`, { quotas }, AS_OPERATOR);

/** Creates an organization with quotas. */
async function organization(quotas: object): Promise<Organization> {
  const { body } = await mneme.post<Organization>('/v3/organizations', { name: 'Acme' }, AS_OPERATOR);
  const none = { documents: null, storedBytes: null, addsPerDay: null, tokensPerMonth: null };
  const limited = await limit(body.id, quotas);
  expect([limited.status, limited.body.quotas]).toEqual([200, { ...none, ...quotas }]);
  return body;
}

const add = ({ key }: Organization, fields: object = {}) =>
  mneme.post<{ id: string }>('/v3/documents', { content: 'The otter keeps a stone.', ...fields }, withKey(key));
const batch = ({ key }: Organization, count: number) =>
  mneme.post('/v3/documents/batch', { documents: Array.from({ length: count }, (_, i) => `Item ${i}`) }, withKey(key));
const record = ({ key }: Organization, ...texts: readonly string[]) =>
  mneme.post('/v4/memories', { containerTag: 'notes', memories: texts.map((content) => ({ content })) }, withKey(key));
const say = ({ key }: Organization, conversationId: string, ...texts: readonly string[]) =>
  mneme.post(
    '/v4/conversations',
    { conversationId, messages: texts.map((content) => ({ role: 'user', content })) },
    withKey(key),
  );
function upload({ key }: Organization) {
  const form = new FormData();
  form.append('file', new Blob(['A lantern in a file.']), 'lantern.txt');
  return mneme.request('POST', '/v3/documents/file', form, withKey(key));
}
const remove = ({ key }: Organization, id: string) =>
  mneme.request('DELETE', `/v3/documents/${id}`, undefined, withKey(key));

const quotasOf = async ({ key }: Organization) =>
  (await mneme.get<{ quotas?: Record<string, { used: number; resetsAt?: string }> }>('/v3/session', withKey(key))).body
    .quotas;

/** Expects a refusal that clients do not repeat. */
function expectRefused(answer: Awaited<ReturnType<typeof mneme.post>>, quota: string, resetsAt?: string): void {
  expect([answer.status, answer.body]).toMatchObject([429, { code: 'quota_exceeded', details: quota }]);
  const seconds = Number(answer.headers.get('retry-after'));
  const expected = resetsAt === undefined ? 3_600 : (Date.parse(resetsAt) - Date.now()) / 1_000;
  expect(Math.abs(seconds - expected)).toBeLessThanOrEqual(30);
  expect(answer.headers.get('x-should-retry')).toBe(seconds > 60 ? 'false' : null);
}

test('without quotas nothing is limited, and the session says nothing of them', async () => {
  const acme = await organization({});
  expect((await batch(acme, 20)).status).toBeLessThan(300);
  expect(await quotasOf(acme)).toBeUndefined();
});

test('everything that adds documents is refused at their quota, and deleting makes room', async () => {
  const acme = await organization({ documents: 3 });
  expect((await batch(acme, 4)).status).toBe(429);
  const added = [await add(acme), await add(acme, { customId: 'known' }), await say(acme, 'talk', 'One fox.')];
  expect(added.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const refused of [
    ...[await add(acme), await batch(acme, 1), await upload(acme), await say(acme, 'other talk', 'Two foxes.')],
    await add(acme, { customId: 'new' }),
  ]) {
    expectRefused(refused, 'documents');
  }
  // What adds no document goes on.
  expect((await add(acme, { customId: 'known', content: 'The otter has two stones.' })).status).toBe(200);
  expect((await say(acme, 'talk', 'One fox.', 'And its den.')).status).toBe(200);
  expect((await record(acme, 'Ada likes tea.')).status).toBeLessThan(300);
  expect(await quotasOf(acme)).toEqual({ documents: { limit: 3, used: 3 } });

  expect((await remove(acme, added[0]?.body.id as string)).status).toBe(204);
  await eventually(async () => ((await add(acme)).status === 200 ? true : null));
  expectRefused(await add(acme), 'documents');
  await limit(acme.id, { documents: 5 });
  await eventually(async () => ((await batch(acme, 2)).status < 300 ? true : null));
  await limit(acme.id, { documents: null });
  expect((await batch(acme, 9)).status).toBeLessThan(300);
});

test('the adds of a day are documents and memories, also after a restart; what is refused is not counted', async () => {
  const acme = await organization({ addsPerDay: 6 });
  expect((await add(acme)).status).toBe(200);
  expect((await add(acme, { customId: 'known' })).status).toBe(200);
  expect((await add(acme, { customId: 'known', content: 'More.' })).status).toBe(200);
  expect((await add(acme, { content: ' ' })).status).toBe(400);
  expect((await record(acme, 'Ada likes tea.', 'Ada dislikes noise.')).status).toBeLessThan(300);
  await eventually(async () => ((await quotasOf(acme))?.addsPerDay?.used === 4 ? true : null));
  mneme = await mneme.restart('SIGKILL');
  expect((await quotasOf(acme))?.addsPerDay).toMatchObject({ limit: 6, used: 4 });
  expect((await upload(acme)).status).toBe(200);
  const last = await add(acme);
  expect(last.status).toBe(200);
  const resetsAt = (await quotasOf(acme))?.addsPerDay?.resetsAt;
  for (const refused of [await add(acme), await batch(acme, 1), await record(acme, 'Ada has a cat.')]) {
    expectRefused(refused, 'addsPerDay', resetsAt);
  }
  expect((await remove(acme, last.body.id)).status).toBe(204);
  expectRefused(await add(acme), 'addsPerDay', resetsAt);
});

test('bytes are charged when they are known: accepted work finishes, then adds are refused until something is deleted', async () => {
  const acme = await organization({ storedBytes: 1_000 });
  const { body } = await add(acme, { content: 'A long story. '.repeat(200) });
  await eventually(async () => {
    const { body: document } = await mneme.get(`/v3/documents/${body.id}`, withKey(acme.key));
    return document.status === 'done' ? true : null;
  });
  const refused = await eventually(async () => {
    const answer = await add(acme, { customId: 'one' });
    return answer.status === 429 ? answer : null;
  });
  expectRefused(refused, 'storedBytes');
  expectRefused(await record(acme, 'Ada likes tea.'), 'storedBytes');
  const change = await mneme.request('PATCH', `/v3/documents/${body.id}`, { content: 'Short.' }, withKey(acme.key));
  expectRefused(change, 'storedBytes');
  expect((await quotasOf(acme))?.storedBytes?.used).toBeGreaterThanOrEqual(2_800);
  expect((await remove(acme, body.id)).status).toBe(204);
  await eventually(async () => ((await add(acme)).status === 200 ? true : null));
});

test('quotas of one organization say nothing to another one, and nothing to a key of some tags', async () => {
  const [full, free] = [await organization({ documents: 0, addsPerDay: 0 }), await organization({ documents: 2 })];
  expectRefused(await add(full), 'documents');
  expect((await add(free)).status).toBe(200);
  expect(await quotasOf(free)).toEqual({ documents: { limit: 2, used: 1 } });
  const { body } = await mneme.post<Organization>('/v3/auth/scoped-key', { containerTag: 'a' }, withKey(free.key));
  expect(await quotasOf({ ...free, key: body.key })).toBeUndefined();
  expect((await add({ ...free, key: body.key }, { containerTag: 'a' })).status).toBe(200);
  expectRefused(await add({ ...free, key: body.key }, { containerTag: 'a' }), 'documents');
});

test('the npm client raises a RateLimitError and does not try again', async () => {
  const acme = await organization({ documents: 0 });
  let requests = 0;
  const client = new Supermemory({
    ...{ apiKey: acme.key, baseURL: mneme.url, maxRetries: 3 },
    fetch: (...call: Parameters<typeof fetch>) => {
      requests += 1;
      return fetch(...call);
    },
  });
  await expect(client.add({ content: 'The otter keeps a stone.' })).rejects.toBeInstanceOf(Supermemory.RateLimitError);
  expect(requests).toBe(1);
});

test('the operator sets quotas on the command line, the audit tells it, and wrong ones are refused', async () => {
  const acme = await organization({});
  const set = ['set', '--organization', acme.id, '--documents', '2', '--tokens-per-month', '1000000'];
  expect((await mneme.cli('quotas', ...set)).code).toBe(0);
  const { out } = await mneme.cli('quotas', 'show', '--organization', acme.id, '--json');
  expect(JSON.parse(out)).toEqual({
    ...{ organization: acme.id, documents: 2, storedBytes: null, addsPerDay: null, tokensPerMonth: 1_000_000 },
  });
  expect((await batch(acme, 3)).status).toBe(429);
  expect((await mneme.cli('quotas', 'set', '--organization', acme.id, '--documents', 'none')).code).toBe(0);
  expect((await batch(acme, 3)).status).toBeLessThan(300);
  expect((await mneme.cli('quotas', 'set', '--organization', acme.id)).code).not.toBe(0);
  expect((await mneme.cli('quotas', 'set', '--documents', '-1', '--organization', acme.id)).code).not.toBe(0);
  for (const quotas of [{ documents: -1 }, { documents: 1.5 }, { documents: 'many' }]) {
    expect([quotas, (await limit(acme.id, quotas)).status]).toEqual([quotas, 400]);
  }
  expect((await limit('unknown', { documents: 1 })).status).toBe(404);
  const entries = await eventually(async () => {
    const { body } = await mneme.get<{ audit: { targetId: string }[] }>(
      '/v3/audit?action=quotas.changed',
      withKey(acme.key),
    );
    return body.audit.length === 2 ? body.audit : null;
  });
  expect(entries.map(({ targetId }) => targetId)).toEqual([acme.id, acme.id]);
});
