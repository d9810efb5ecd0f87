import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { Mneme } from './support/mneme.ts';

/** Conversations and subtitles from files, over HTTP: from the upload to the speaker, time and place of a passage. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Found {
  readonly memory: string;
  readonly location?: { readonly date?: string; readonly heading?: string; readonly startSeconds?: number };
}

const fixture = (path: string) => readFile(join(import.meta.dirname, 'fixtures', path));

async function uploaded(name: string, bytes: Uint8Array<ArrayBuffer>, tag = 'chats', customId?: string) {
  const form = new FormData();
  form.append('file', new Blob([bytes]), name);
  form.append('containerTags', tag);
  if (customId !== undefined) form.append('customId', customId);
  const { id } = (await mneme.request<{ id: string }>('POST', '/v3/documents/file', form)).body;
  return mneme.settled(id);
}

const found = async (q: string, containerTag: string) =>
  (await mneme.post<{ results: readonly Found[] }>('/v4/search', { q, containerTag, threshold: 0 })).body.results;

test.each([
  [
    'conversations/openai-tools.json',
    ['user: What does the ferry cost?', 'assistant: The ferry on line four'],
    ['role: user'],
  ],
  [
    'conversations/slack.json',
    ['[5 March 2024, 08:30] Orla Byrne: The crane at pier four is closed'],
    ['- type: message'],
  ],
  ['conversations/telegram.json', ['Orla: The crane at pier four is closed', '5 March 2024'], ['messages > id']],
  [
    'conversations/chatgpt.json',
    ['user: Which pier does the ferry use?', 'assistant: It uses pier two.'],
    ['mapping > b'],
  ],
  ['conversations/n-discord.json', ['Orla: The crane is closed'], []],
  ['conversations/n-slack-plain.json', ['U02ORLA: The crane at pier four is closed', '5 March 2024'], []],
  ['conversations/whatstk-12-hours.txt', ['[5 March 2024, 21:31] Bram Claes: I berth at pier two.'], ['03/05/24']],
  ['subtitles/talk.vtt', ['harbour crane is ninety thousand', 'Bram: Then we buy'], ['-->', '<v ', 'WEBVTT']],
  ['subtitles/talk.srt', ['harbour crane is ninety thousand'], ['-->', '<i>']],
])('%s is read as what was said', async (path, present, absent) => {
  const { status, content } = await uploaded(path.split('/')[1] as string, new Uint8Array(await fixture(path)));
  expect(status).toBe('done');
  for (const words of present) expect(content).toContain(words);
  for (const words of absent) expect(content).not.toContain(words);
});

test('a turn is found with its time and conversation, and so is what is added to the file later', async () => {
  const { id } = await uploaded(
    'crew.json',
    new Uint8Array(await fixture('conversations/telegram.json')),
    'crew',
    'crew',
  );
  expect((await found('Who goes to pier two?', 'crew'))[0]).toMatchObject({
    memory: '[5 March 2024, 09:31] Bram: See https://example.org/pier for pier two',
    location: { date: '2024-03-05T09:31:00', heading: 'Harbour' },
  });
  await mneme.post('/v3/documents', { content: 'The boat leaves at nine.', customId: 'crew', containerTag: 'crew' });
  await mneme.settled(id as string);
  const [added, ...others] = await found('When does the boat leave?', 'crew');
  expect(added).toMatchObject({ memory: 'The boat leaves at nine.' });
  expect(added?.location ?? {}).toEqual({});
  expect(others.map(({ memory }) => memory)).toContain(
    '[5 March 2024, 09:31] Bram: See https://example.org/pier for pier two',
  );
});

test('a sentence of subtitles is found with its second', async () => {
  await uploaded('talk.vtt', new Uint8Array(await fixture('subtitles/talk.vtt')), 'talk');
  expect((await found('Which crane do we buy?', 'talk'))[0]).toMatchObject({
    ...{ memory: 'Bram: Then we buy the green one.', location: { startSeconds: 8 } },
  });
});

test('messages in a string are turns, and a text that is added to them is none', async () => {
  const messages = JSON.stringify([
    { speaker: '+47 912 34 567', text: 'The boat is called Ottoline.', time: '2024-03-05T09:30:00+01:00' },
    { speaker: 'Bram', text: 'A fine name.' },
  ]);
  const add = (content: string) =>
    mneme.post<{ id: string }>('/v3/documents', { content, customId: 'boat', containerTag: 'boat' });
  const { id } = (await add(messages)).body;
  await mneme.settled(id);
  await add('The boat was sold to Mara.');
  await mneme.settled(id);
  const memories = await found('*', 'boat');
  expect(new Map(memories.map(({ memory, location }) => [memory, location?.date]))).toEqual(
    new Map([
      ['[5 March 2024, 09:30] +47 912 34 567: The boat is called Ottoline.', '2024-03-05T09:30:00+01:00'],
      ['Bram: A fine name.', undefined],
      ['The boat was sold to Mara.', undefined],
    ]),
  );
});

test('an archive is refused, and the message names the file to upload', async () => {
  const chats = new Uint8Array(await fixture('conversations/chatgpt.json'));
  // More than is looked at before a job reads the file.
  const picture = new Uint8Array(300_000).map((_, i) => (i * 7_919) % 251);
  const archive = zipSync({ 'picture.png': [picture, { level: 0 }], 'conversations.json': chats });
  expect(await uploaded('export.zip', new Uint8Array(archive))).toMatchObject({
    status: 'failed',
    processingError: {
      code: 'unsupported_type',
      message: expect.stringContaining('upload the file with the conversations: conversations.json.'),
    },
  });
});

test.each([
  ['null', { content: null }],
  ['absent', {}],
])('POST /v4/conversations: the content of a message with a tool call may be %s', async (name, content) => {
  const call = { id: 'c1', type: 'function', function: { name: 'price', arguments: '{}' } };
  const messages = [
    { role: 'user', content: 'What does the ferry cost?' },
    { role: 'assistant', ...content, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: '75' },
    { role: 'assistant', content: 'It costs 75 crowns.' },
  ];
  const { body } = await mneme.post<{ id: string }>('/v4/conversations', {
    ...{ conversationId: `tools-${name}`, messages, containerTags: ['tools'] },
  });
  expect(await mneme.settled(body.id)).toMatchObject({
    content: 'user: What does the ferry cost?\nassistant: [calls price {}]\ntool: 75\nassistant: It costs 75 crowns.',
  });
});
