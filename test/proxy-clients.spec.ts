import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type LoopbackProvider, openProvider } from '../apps/server/src/http/testing/loopback-provider.ts';
import { sayTo } from './clients/answers-of-models.ts';
import { loadModels, type Models } from './clients/models.ts';
import { installModels, installPythonClient, pythonIn } from './support/installed-clients.ts';
import { memoriesOf } from './support/memories.ts';
import { Mneme, OWNER_KEY } from './support/mneme.ts';

/** The published clients of language models through the proxy: the address and a key of this server are all that they need. */

const run = promisify(execFile);
const SAID = 'It lies at the pier.';
const QUESTION = 'Where is the boat?';

const [models, pythonModels] = [await installModels(), await installPythonClient('models-python')];
/** Memory is waited for, however busy the machine is. */
const PATIENT = { MNEME_PROXY_MEMORY_MS: '60000' };

let provider: LoopbackProvider;
let mneme: Mneme;
beforeAll(async () => {
  provider = await openProvider((_, response, call) => sayTo(call, response, SAID));
  const providers = ['openai', 'anthropic', 'gemini'].map((name) => ({
    ...{ name, base: provider.url, format: name, key: `key-of-${name}` },
  }));
  mneme = await Mneme.start({ env: { MNEME_PROXY_PROVIDERS: JSON.stringify(providers), ...PATIENT } });
  await memoriesOf(() => mneme, 'skipper').record({ content: 'The boat is called Heron.', isStatic: true });
});
afterAll(async () => {
  await mneme?.stop();
  await provider?.close();
});
beforeEach(() => {
  provider.seen.length = 0;
});

/** Every call had the memory, the key of the operator, and no key of ours. */
function expectCalls(count: number): void {
  expect(provider.seen).toHaveLength(count);
  for (const { url, body, headers, header } of provider.seen) {
    expect(body.toString()).toContain('The boat is called Heron.');
    const name = url.includes('/messages') ? 'anthropic' : url.includes('/models/') ? 'gemini' : 'openai';
    const style = { openai: 'authorization', anthropic: 'x-api-key', gemini: 'x-goog-api-key' }[name] as string;
    expect(header(style)).toMatch(new RegExp(`key-of-${name}$`));
    expect(JSON.stringify(headers)).not.toMatch(/sm_|x-sm-|x-supermemory/i);
  }
}

const envOfCalls = () => ({
  ...{ PATH: process.env.PATH, MNEME_URL: mneme.url, MNEME_KEY: OWNER_KEY, MNEME_USER: 'skipper' },
});

const joined = async <T>(parts: AsyncIterable<T>, textOf: (part: T) => string | undefined): Promise<string> => {
  let text = '';
  for await (const part of parts) text += textOf(part) ?? '';
  return text;
};

if ('missing' in models) {
  test.skip(`SKIPPED: ${models.missing}`, () => {});
} else {
  let clients: Models;
  beforeAll(async () => {
    clients = await loadModels(models.folder);
  });
  const defaultHeaders = { 'x-sm-user-id': 'skipper' };
  const options = (path: string) => ({
    ...{ baseURL: `${mneme.url}/proxy/${path}`, apiKey: OWNER_KEY, defaultHeaders, maxRetries: 0 },
  });
  const messages = [{ role: 'user', content: QUESTION }];

  test('openai: chat completions and responses, whole and as streams', async () => {
    const client = new clients.OpenAi(options('openai/v1'));
    const chat = { model: 'm', messages };
    expect((await client.chat.completions.create(chat)).choices[0]?.message.content).toBe(SAID);
    const chunks = await client.chat.completions.create({ ...chat, stream: true });
    expect(await joined(chunks, ({ choices }) => choices[0]?.delta.content)).toBe(SAID);
    expect((await client.responses.create({ model: 'm', input: QUESTION })).output_text).toBe(SAID);
    const events = await client.responses.create({ model: 'm', input: QUESTION, stream: true });
    const textOf = ({ type, delta }: { type: string; delta?: string }) =>
      type === 'response.output_text.delta' ? delta : '';
    expect(await joined(events, textOf)).toBe(SAID);
    expectCalls(4);
  });

  test('@anthropic-ai/sdk: messages, whole and as a stream', async () => {
    const client = new clients.Anthropic(options('anthropic'));
    const call = { model: 'm', max_tokens: 9, messages };
    expect((await client.messages.create(call)).content[0]?.text).toBe(SAID);
    expect(await client.messages.stream(call).finalText()).toBe(SAID);
    expectCalls(2);
  });

  test('@google/genai: contents, whole and as a stream', async () => {
    const script = join(import.meta.dirname, 'clients', 'google-calls.mjs');
    const env = { ...envOfCalls(), ENTRY: pathToFileURL(join(models.folder, 'entry.mjs')).href };
    const { stdout } = await run(process.execPath, [script], { env });
    expect(JSON.parse(stdout)).toEqual({ whole: SAID, stream: SAID });
    expectCalls(2);
  });
}

if ('missing' in pythonModels) {
  test.skip(`SKIPPED: ${pythonModels.missing}`, () => {});
} else {
  test('openai and anthropic of PyPI, whole and as streams', async () => {
    const script = join(import.meta.dirname, 'clients', 'models-python', 'calls.py');
    const { stdout } = await run(pythonIn(pythonModels.folder), ['-B', script], { env: envOfCalls() });
    expect(JSON.parse(stdout)).toEqual({
      ...{ chat: SAID, 'chat stream': SAID, responses: SAID, 'responses stream': SAID },
      ...{ messages: SAID, 'messages stream': SAID },
    });
    expectCalls(6);
  });
}
