import { Mneme, OWNER_KEY } from './support/mneme.ts';

/** `POST /v4/conversations`, as the middleware of `@supermemory/tools` sends it. */

let mneme: Mneme;

beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Saved {
  readonly id: string;
  readonly conversationId: string;
  readonly status: string;
}

/** The request of the package's function `addConversation`. */
async function save(conversationId: string, messages: readonly object[], tag = 'talks'): Promise<Saved> {
  const response = await fetch(`${mneme.url}/v4/conversations`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${OWNER_KEY}` },
    body: JSON.stringify({ conversationId, messages, containerTags: [tag], metadata: undefined }),
    redirect: 'error',
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Saved;
}

const contentOf = async (id: string) => (await mneme.get(`/v3/documents/${id}`)).body.content;

async function memoriesFor(q: string, containerTag: string): Promise<{ id: string; memory: string }[]> {
  const { body } = await mneme.post<{ results: { id: string; memory: string }[] }>('/v4/search', {
    ...{ q, containerTag, threshold: 0, limit: 100 },
  });
  return body.results;
}

test('each turn of a chat is saved once, is searchable, and keeps its id when the chat goes on', async () => {
  const messages = [
    { role: 'user', content: 'I am Dana, and I am allergic to walnuts.' },
    { role: 'assistant', content: [{ type: 'text', text: 'Noted: no walnuts for you.' }] },
  ];
  const first = await save('chat-1', messages);
  expect(first).toEqual({ id: expect.stringMatching(/^\w{22}$/), conversationId: 'chat-1', status: 'queued' });
  await mneme.settled(first.id);
  const [walnuts] = await memoriesFor('allergic walnuts', 'talks');
  expect(walnuts?.memory).toBe('user: I am Dana, and I am allergic to walnuts.');

  const more = [...messages, { role: 'user', content: 'My cat is called Ottoline.' }];
  expect((await save('chat-1', more)).id).toBe(first.id);
  expect(await save('chat-1', more)).toMatchObject({ id: first.id });
  expect((await mneme.settled(first.id)).content).toBe(
    'user: I am Dana, and I am allergic to walnuts.\nassistant: Noted: no walnuts for you.\nuser: My cat is called Ottoline.',
  );
  const found = await memoriesFor('walnuts Ottoline', 'talks');
  expect(found).toHaveLength(3);
  expect(found.map(({ id }) => id)).toContain(walnuts?.id);
});

test('an edited message replaces the rest of the chat, and nothing finds what was replaced', async () => {
  const { id } = await save(
    'chat-2',
    [
      { role: 'user', content: 'Where is the sextant?' },
      { role: 'assistant', content: 'In the wardrobe, I believe.' },
      { role: 'user', content: 'Thank you, most helpful.' },
    ],
    'edits',
  );
  await mneme.settled(id);
  await save(
    'chat-2',
    [
      { role: 'user', content: 'Where is the sextant?' },
      { role: 'assistant', content: 'On the quarterdeck, next to the compass.' },
    ],
    'edits',
  );
  await mneme.settled(id);
  expect(await contentOf(id)).toBe('user: Where is the sextant?\nassistant: On the quarterdeck, next to the compass.');
  const all = JSON.stringify(await memoriesFor('wardrobe helpful quarterdeck', 'edits'));
  expect(all).toContain('quarterdeck');
  expect(all).not.toMatch(/wardrobe|helpful/);
});

test('images and tool calls are noted in the transcript; the bytes of an image are not', async () => {
  const picture = `data:image/png;base64,${'iVBORw0KGgo'.repeat(20_000)}`;
  const call = { id: '1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is on these?' },
        { type: 'image_url', imageUrl: { url: picture } },
        { type: 'image_url', image_url: { url: 'https://a.example/fjord.png?signature=secret' } },
      ],
    },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content: 'Rain.', tool_call_id: '1' },
  ];
  const { id } = await save('chat-3', messages);
  const transcript =
    'user: What is on these?\n[image]\n[image https://a.example/fjord.png]\nassistant: [calls weather {"city":"Oslo"}]\ntool: Rain.';
  expect(await contentOf(id)).toBe(transcript);
  await save('chat-3', messages);
  expect(await contentOf(id)).toBe(transcript);
});

test('a text that is added under the conversationId stays when the chat goes on', async () => {
  const begin = [{ role: 'user', content: 'Shall we meet on Tuesday?' }];
  const { id } = await save('chat-4', begin);
  expect(
    await mneme.add('The meeting room is on the third floor.', { customId: 'chat-4', containerTag: 'talks' }),
  ).toBe(id);
  await save('chat-4', [...begin, { role: 'assistant', content: 'Gladly.' }]);
  expect(await contentOf(id)).toBe(
    'user: Shall we meet on Tuesday?\nThe meeting room is on the third floor.\nassistant: Gladly.',
  );
});

test('the messages are erased with the document', async () => {
  const { id } = await save('chat-5', [{ role: 'user', content: 'This will be deleted.' }]);
  expect((await mneme.request('DELETE', '/v3/documents/chat-5')).status).toBe(204);
  const events = (await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`)).body.events;
  expect(events.map(({ type }) => type)).toContain('MessagesReceived');
  expect(JSON.stringify(events)).not.toContain('deleted.');
  const again = await save('chat-5', [{ role: 'user', content: 'A new beginning.' }]);
  expect(again.id).not.toBe(id);
  expect(await contentOf(again.id)).toBe('user: A new beginning.');
});
