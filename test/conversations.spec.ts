import { pageOf } from '../libs/processing/extraction/src/testing/pictures.ts';
import { Mneme, OWNER_KEY } from './support/mneme.ts';
import { openSite } from './support/site.ts';

/** `POST /v4/conversations`, as the middleware of `@supermemory/tools` sends it. */

let mneme: Mneme;
let site: Awaited<ReturnType<typeof openSite>>;

beforeAll(async () => {
  site = await openSite({});
  mneme = await Mneme.start({ env: { MNEME_FETCH_LOOPBACK: 'on' } });
});
afterAll(async () => {
  await mneme.stop();
  site.close();
});

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

test('a last answer that was made again replaces the former one, and nothing finds that', async () => {
  const talk = [
    { role: 'user', content: 'Good morning.' },
    { role: 'assistant', content: 'Good morning to you.' },
    { role: 'user', content: 'Where is the sextant?' },
  ];
  const { id } = await save(
    'chat-2',
    [...talk, { role: 'assistant', content: 'In the wardrobe, I believe.' }],
    'edits',
  );
  await mneme.settled(id);
  await save('chat-2', [...talk, { role: 'assistant', content: 'On the quarterdeck.' }], 'edits');
  await mneme.settled(id);
  expect(await contentOf(id)).toBe(
    'user: Good morning.\nassistant: Good morning to you.\nuser: Where is the sextant?\nassistant: On the quarterdeck.',
  );
  const all = JSON.stringify(await memoriesFor('wardrobe quarterdeck', 'edits'));
  expect(all).toContain('quarterdeck');
  expect(all).not.toContain('wardrobe');
});

test('the whole session at its end, and the newest turns alone after a switch, are each saved once', async () => {
  const [one, two, three, four, five] = ['One.', 'Two.', 'Three.', 'Four.', 'Five.'].map((content, i) => ({
    ...{ role: i % 2 ? 'assistant' : 'user', content },
  })) as [object, object, object, object, object];
  const { id } = await save('chat-7', [one, two]);
  await save('chat-7', [three]);
  await save('chat-7', [one, two, three, four]);
  await save('chat-7', [three, four, five]);
  expect(await contentOf(id)).toBe('user: One.\nassistant: Two.\nuser: Three.\nassistant: Four.\nuser: Five.');
  await save('chat-7', [{ role: 'user', content: 'Other.' }]);
  expect(await contentOf(id)).toMatch(/user: Five\.\nuser: Other\.$/);
});

test('images and tool calls are noted in the transcript, also those that cannot be read', async () => {
  const picture = `data:image/png;base64,${'iVBORw0KGgo'.repeat(20_000)}`;
  const call = { id: '1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is on these?' },
        { type: 'image_url', imageUrl: { url: picture } },
        { type: 'image_url', image_url: { url: site.url('/fjord.png?signature=secret') } },
        { type: 'image_url', image_url: { url: 'http://10.1.2.3/private.png' } },
      ],
    },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content: 'Rain.', tool_call_id: '1' },
  ];
  const { id } = await save('chat-3', messages);
  const notes = `[image]\n[image ${site.url('/fjord.png')}]\n[image http://10.1.2.3/private.png]`;
  const transcript = `user: What is on these?\n${notes}\nassistant: [calls weather {"city":"Oslo"}]\ntool: Rain.`;
  expect(await contentOf(id)).toBe(transcript);
  await save('chat-3', messages);
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', content: transcript });
  const events = (await mneme.get<{ events: { type: string; payload: object }[] }>(`/v3/documents/${id}/events`)).body;
  expect(events.events.filter(({ type }) => type === 'PicturesRead')).toHaveLength(1);
});

test('the words on pictures are found in the turn that shows them, and each picture is fetched once', async () => {
  const picture = (words: string) =>
    pageOf([words], { width: 900, height: 300, size: 40, left: 40, top: 150 }).flatten().png().toBuffer();
  const [shown, linked] = await Promise.all([picture('The goats ate the rope'), picture('Low tide at six')]);
  site.pages['/tide.png'] = (_request, response) =>
    response.writeHead(200, { 'Content-Type': 'image/png' }).end(linked);
  const messages: object[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'I took these.' },
        { type: 'image_url', imageUrl: { url: `data:image/png;base64,${shown.toString('base64')}` } },
        { type: 'image_url', imageUrl: { url: site.url('/tide.png') } },
      ],
    },
    { role: 'assistant', content: 'Nice ones.' },
  ];
  const { id } = await save('chat-6', messages, 'pictures');
  const transcript = `user: I took these.\n[image]\n[image ${site.url('/tide.png')}]\nassistant: Nice ones.`;
  expect(await mneme.settled(id, 110_000)).toMatchObject({ status: 'done', type: 'text', content: transcript });
  const turn = `user: I took these.\n[image: The goats ate the rope]\n[image ${site.url('/tide.png')}: Low tide at six]`;
  expect((await memoriesFor('Who ate the rope?', 'pictures'))[0]?.memory).toBe(turn);

  await save('chat-6', [...messages, { role: 'user', content: 'When is the tide low?' }], 'pictures');
  await mneme.settled(id);
  expect((await memoriesFor('goats rope', 'pictures'))[0]?.memory).toBe(turn);
  expect(site.asked.filter((path) => path === '/tide.png')).toHaveLength(1);
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
