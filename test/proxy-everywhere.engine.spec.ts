import { type LoopbackProvider, openProvider } from '../apps/server/src/http/testing/loopback-provider.ts';
import { sayTo } from './clients/answers-of-models.ts';
import { Cluster } from './support/cluster.ts';
import { memoriesOf } from './support/memories.ts';
import { eventually, type Mneme } from './support/mneme.ts';

/** Calls of language models on distributed engines: every process knows what all of them have passed on. */

/** Memory is waited for, however busy the machine is. */
const PATIENT = { MNEME_PROXY_MEMORY_MS: '60000' };

let provider: LoopbackProvider;
let cluster: Cluster;
let one: Mneme;
let other: Mneme;
beforeAll(async () => {
  provider = await openProvider((_, response, call) => sayTo(call, response, 'Noted.'));
  cluster = await Cluster.start();
  const providers = [{ name: 'local', base: provider.url, format: 'openai' }];
  const env = { MNEME_PROXY_PROVIDERS: JSON.stringify(providers), ...PATIENT };
  await cluster.start('worker');
  [one, other] = [await cluster.start('api', { env }), await cluster.start('api', { env })];
  await eventually(async () => ((await one.post('/v3/documents/list', {})).status === 200 ? true : null));
});
afterAll(async () => {
  await cluster?.stop();
  await provider?.close();
});

const PATH = '/proxy/local/v1/chat/completions';
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

const chat = (mneme: Mneme, id: string, messages: readonly object[]) =>
  mneme.post(PATH, { messages }, { 'x-sm-user-id': 'sailor', 'x-sm-conversation-id': id });

const transcript = (mneme: Mneme, id: string, content: string) =>
  eventually(async () => {
    const { status, body } = await mneme.get(`/v3/documents/${id}?containerTag=sailor`);
    return status === 200 && body.content === content ? body : null;
  });

test('a conversation goes on in another process, and equal calls of two processes are stored once', async () => {
  const turns = [user('We sail on Monday.')];
  expect((await chat(one, 'trip', turns)).status).toBe(200);
  const told = 'user: We sail on Monday.\nassistant: Noted.';
  await transcript(other, 'trip', told);
  const next = await chat(other, 'trip', [user('And then?')]);
  expect(next.headers.get('x-supermemory-error')).toBeNull();
  const sent = JSON.parse(String(provider.seen.at(-1)?.body)).messages;
  expect(sent.filter(({ role }: { role: string }) => role !== 'system')).toEqual([
    ...[...turns, assistant('Noted.'), user('And then?')],
  ]);
  await transcript(one, 'trip', `${told}\nuser: And then?\nassistant: Noted.`);

  await Promise.all([one, other].map((mneme) => chat(mneme, 'twice', turns)));
  await transcript(one, 'twice', told);
});

test('what one process has been told is in the calls of another', async () => {
  await memoriesOf(() => one, 'sailor').record({ content: 'The boat is called Heron.', isStatic: true });
  await eventually(async () => {
    await chat(other, 'name', [user('What is the boat called?')]);
    return String(provider.seen.at(-1)?.body).includes('Heron') ? true : null;
  });
  const tokens = () => one.get<{ proxy?: { tokensProcessed: number } }>('/v3/analytics/usage');
  await eventually(async () => (((await tokens()).body.proxy?.tokensProcessed ?? 0) > 0 ? true : null));
});
