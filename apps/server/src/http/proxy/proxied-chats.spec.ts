import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { SaveConversation } from '#features/documents/use-cases';
import { GetContext } from '#features/search/use-cases';
import { until } from '../../../../../libs/platform/kernel/src/testing/eventually.ts';
import { listen, startTestApp, type TestApp } from '../testing/fake-application.ts';
import { initialFake } from '../testing/fake-handlers.ts';
import { type LoopbackProvider, openProvider } from '../testing/loopback-provider.ts';

/** Calls of models with memory that fails, is late, or cannot be read; test/proxy.spec.ts has those that go well. */

const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Noted.' }, finish_reason: 'stop' }],
});
const MESSAGES = [{ role: 'user', content: 'My boat is called Heron.' }];

let provider: LoopbackProvider;
let http: TestApp & { readonly url: string };
let warnings: string[];

beforeAll(async () => {
  provider = await openProvider();
  const local = { name: 'local', base: provider.url, format: 'openai', key: null, organizations: null } as const;
  const proxy = {
    providers: [{ ...local, isConfigured: true }],
    connections: { allow: [], loopback: false, proxy: null },
    ...{ maxBodyBytes: 1_000_000, maxContextTokens: 20_000, memoryMs: 250 },
  };
  const warn = (message: string) => void warnings.push(message);
  const started = await startTestApp({ proxy, logger: { debug: () => {}, info: () => {}, warn } });
  http = { ...started, url: await listen(started) };
});
afterAll(async () => {
  await http.app.close();
  await provider.close();
});
beforeEach(() => {
  warnings = [];
  Object.assign(http.fake, initialFake());
  provider.seen.length = 0;
  provider.answer = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
});

async function chat(headers: Record<string, string> = {}, body: string = JSON.stringify({ messages: MESSAGES })) {
  const own = { 'x-supermemory-api-key': http.secret, 'x-sm-user-id': 'mara', ...headers };
  const answer = await fetch(`${http.url}/proxy/local/v1/chat/completions`, { method: 'POST', headers: own, body });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const header = ({ headers }: { readonly headers: Headers }, name: string) => headers.get(`x-supermemory-${name}`);
const saved = () => http.fake.asked.filter((one) => one instanceof SaveConversation);
const texts = ({ conversation: { messages } }: SaveConversation) => messages.flatMap(({ parts }) => parts);

test('memory that does not answer is waited for 250 ms; the call is the same and is remembered', async () => {
  http.fake.isContextPending = true;
  const begun = performance.now();
  const answer = await chat();
  expect(performance.now() - begun).toBeGreaterThanOrEqual(240);
  expect([answer.status, answer.text]).toEqual([200, ANSWER]);
  expect(header(answer, 'error')).toBe('memory has not answered within 250 ms');
  expect(header(answer, 'context-modified')).toBe('false');
  expect(provider.seen[0]?.body.toString()).toBe(JSON.stringify({ messages: MESSAGES }));
  await until(() => saved().length === 1);
  expect(saved().flatMap(texts)).toEqual([{ text: 'My boat is called Heron.' }, { text: 'Noted.' }]);
});

test('a header tells that memory has failed; a failed save is only logged', async () => {
  http.fake.fault = new Error('secret details');
  const answer = await chat({ 'x-sm-conversation-id': 'failing' });
  expect([answer.status, answer.text]).toEqual([200, ANSWER]);
  expect(header(answer, 'error')).toBe('memory is not available');
  await until(() => warnings.length >= 2);
  expect(warnings).toContain('turns of a conversation could not be stored');
});

test('the last turn of the user asks, with those before it if they are short; a long one with its end', async () => {
  const questions = async (...turns: readonly string[]) => {
    http.fake.asked = [];
    const messages = turns.map((content) => ({ role: 'user', content }));
    await chat({}, JSON.stringify({ messages }));
    return http.fake.asked.flatMap((one) => (one instanceof GetContext ? [one.options.question] : []));
  };
  expect(await questions('a', 'b', 'c', 'd')).toEqual(['b\nc\nd']);
  expect(await questions('x'.repeat(400), 'what?')).toEqual(['what?']);
  expect(await questions(`${'x'.repeat(2_000)} what?`)).toEqual([`${'x'.repeat(994)} what?`]);
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('an answer in %s passes as it is, and is read', async (encoding, compress) => {
  provider.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
    response.end(compress(ANSWER));
  };
  expect((await chat()).text).toBe(ANSWER);
  await until(() => saved().length === 1);
  expect(saved().flatMap(texts).at(-1)).toEqual({ text: 'Noted.' });
});

test.each<[string, Record<string, string>, string]>([
  ['in an unknown compression', { 'content-encoding': 'x-odd' }, ANSWER],
  ['that is not what its compression says', { 'content-encoding': 'gzip', 'x-raw': '1' }, ANSWER],
  ['that is no JSON', {}, '{'],
  ['that is nothing', {}, ''],
])('an answer %s passes, and nothing is stored', async (_, headers, body) => {
  provider.answer = (_request, response) => response.writeHead(200, headers).end(body);
  const own = { 'x-supermemory-api-key': http.secret, 'x-sm-user-id': 'mara' };
  const path = '/proxy/local/v1/chat/completions';
  const answered = await http.app.inject({ method: 'POST', url: path, headers: own, payload: { messages: MESSAGES } });
  expect([answered.statusCode, answered.rawPayload.toString()]).toEqual([200, body]);
  provider.answer = (_request, response) => response.writeHead(200).end(ANSWER);
  await chat({ 'x-sm-conversation-id': 'next' });
  await until(() => saved().length > 0);
  expect(saved().map(({ conversation }) => conversation.conversationId)).toEqual(['next']);
});

test.each([
  ['no JSON', '{"messages": ['],
  ['no messages', '{"messages": 7}'],
  ['a list', '[]'],
  ['deep nesting', `{"messages": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
])('a body that is %s passes as it is, without memory', async (_, body) => {
  const answer = await chat({ 'x-sm-user-id': '' }, body);
  expect(answer.status).toBe(200);
  expect(provider.seen[0]?.body.toString()).toBe(body);
  expect(header(answer, 'conversation-id')).toBeNull();
  expect(http.fake.asked).toEqual([]);
});

test.each([
  ['x-sm-conversation-id', 'x'.repeat(256)],
  ['x-sm-user-id', 'x'.repeat(256)],
  ['x-sm-max-context-tokens', '0'],
  ['x-sm-max-context-tokens', '1e3'],
])('a wrong %s is refused with its name', async (name, value) => {
  const answer = await chat({ [name]: value });
  expect([answer.status, JSON.parse(answer.text).details]).toEqual([400, name]);
  expect(provider.seen).toEqual([]);
});

test('names may have any letters', async () => {
  const utf8 = (text: string) => Buffer.from(text).toString('latin1');
  const answer = await chat({ 'x-sm-user-id': utf8('Möwe'), 'x-sm-conversation-id': utf8('Fahrt 漢') });
  expect(header(answer, 'conversation-id')).toBe(utf8('Fahrt 漢'));
  await until(() => saved().length === 1);
  expect(saved()[0]?.conversation).toMatchObject({ conversationId: 'Fahrt 漢', tags: ['Möwe'] });
});
