import type { Mneme } from '../support/mneme.ts';

/** What the state of the baseline holds, and what is asked of it. All texts are invented. */

const CHAT = [
  { role: 'user', content: 'My name is Bryndis, and I mend nets.' },
  { role: 'assistant', content: 'Which nets do you mend?' },
  { role: 'user', content: 'Those of the herring boats, every Monday.' },
];
const HTML =
  '<html><head><title>Bees</title></head><body><h1>Bees</h1><p>The swarm was weighed in May.</p><p>It weighed three pounds.</p></body></html>';
const CSV = 'berth,boat\n1,Ottoline\n2,Heron\n';
const WORDS = ['harbour', 'lantern', 'walnut', 'cistern', 'orchard', 'ferry', 'almanac', 'quince'];
/** Longer than what the process reads itself. */
const LONG = Array.from(
  { length: 900 },
  (_, i) => `In year ${1_000 + i} the ${WORDS[i % 8]} was left to the ${WORDS[(i * 3 + 1) % 8]}.`,
).join('\n');

export const IDEMPOTENT = {
  key: 'b2f0f2e6-3c55-4f19-9a1d-0d6f2f0d7a11',
  body: { content: 'The almanac is printed once.', containerTag: 'changed' },
} as const;
/** Are not read when the server is killed. */
export const UNFINISHED = Array.from({ length: 40 }, (_, i) => ({
  customId: `unfinished ${i}`,
  content: `Lantern ${i} was lent to the choir.`,
}));

/** Writes documents and memories of every kind, changes, forgets and deletes some, and leaves some unread. */
export async function writeStory(mneme: Mneme): Promise<void> {
  await mneme.addAndWait('The pier is rebuilt with oak beams.', {
    ...{ customId: 'pier', containerTags: ['harbour', 'crew'], filepath: '/harbour/pier.txt' },
    ...{ metadata: { kind: 'note', year: 2021, vip: true }, documentDate: '2024-05-17' },
  });
  await mneme.addAndWait('The pier of the crew is painted.', { customId: 'pier', containerTag: 'crew' });
  await mneme.addAndWait(LONG, { customId: 'long', containerTag: 'long' });
  await mneme.addAndWait('Only passages: two people open the weir.', {
    ...{ customId: 'weir', containerTag: 'long', taskType: 'superrag' },
  });
  const conversation = (messages: readonly object[]) =>
    expectOk(mneme.post('/v4/conversations', { conversationId: 'chat', containerTags: ['chats'], messages }));
  await conversation(CHAT.slice(0, 2));
  await conversation(CHAT);
  await mneme.settled('chat');
  await upload(mneme, 'bees.html', HTML);
  await upload(mneme, 'berths.csv', CSV);

  const delta = (content: string) => mneme.addAndWait(content, { customId: 'facts', containerTag: 'facts' });
  for (const fact of ['Tuva is allergic to walnuts.', 'Tuva rows on Saturdays.', 'Tuva keeps bees.']) await delta(fact);
  const forget = (content: string) =>
    expectOk(mneme.request('DELETE', '/v4/memories', { containerTag: 'facts', content }));
  await forget('Tuva is allergic to walnuts.');
  await forget('Tuva keeps bees.');
  await delta('Tuva keeps bees.');

  const recorded = await expectOk<{ memories: { id: string }[] }>(
    mneme.post('/v4/memories', {
      containerTag: 'recorded',
      memories: [{ content: 'Mara lives in Bergen.' }, { content: 'Mara owns a boat.', isStatic: true }],
    }),
  );
  const [moved] = recorded.memories;
  await expectOk(
    mneme.request('PATCH', '/v4/memories', {
      ...{ containerTag: 'recorded', id: moved?.id, newContent: 'Mara lives in Oslo.' },
    }),
  );

  await mneme.addAndWait('The old recipe: salt and patience.', { customId: 'recipe', containerTag: 'changed' });
  await expectOk(
    mneme.request('PATCH', '/v3/documents/recipe', { content: 'The new recipe: pepper.', metadata: { v: 2 } }),
  );
  await mneme.settled('recipe');
  await expectOk(mneme.post('/v3/documents', IDEMPOTENT.body, { 'idempotency-key': IDEMPOTENT.key }));
  const gone = await mneme.addAndWait('A secret that is forgotten.', { customId: 'gone', containerTag: 'changed' });
  await mneme.request('DELETE', `/v3/documents/${gone}`);
  await mneme.add('http://192.0.2.1/never-fetched.html', { customId: 'failed', containerTag: 'failed' });
  await mneme.settled('failed');
  await expectOk(mneme.post('/v3/documents/batch', { documents: UNFINISHED, containerTag: 'unfinished' }));
}

/** A request, and the fields of its answer that are compared. Default: all that do not change with the time of asking. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly fields?: readonly string[];
}

const TAGS = ['harbour', 'crew', 'chats', 'files', 'long', 'facts', 'recorded', 'changed'];
const document = (path: string): Question => ({ method: 'GET', path: `/v3/documents/${path}` });
const post = (path: string, body: object): Question => ({ method: 'POST', path, body });

export const QUESTIONS: readonly Question[] = [
  ...[
    'pier?containerTag=harbour',
    'pier?containerTag=crew',
    'long/chunks',
    'chat',
    'chat/events',
    'facts',
    'recipe',
  ].map(document),
  ...['pier', 'gone', 'failed'].map((name) => ({ ...document(name), fields: ['code', 'status'] })),
  ...TAGS.flatMap((tag) => [
    post('/v3/documents/list', { containerTags: [tag], limit: 50, includeContent: tag !== 'long' }),
    post('/v4/memories/list', { containerTags: [tag], limit: 20, includeForgotten: true }),
    post('/v4/profile', { containerTag: tag }),
    ...['*', 'who mends the nets', 'walnuts or bees', 'where does Mara live', 'oak beams'].flatMap((q) => [
      post('/v4/search', { q, containerTag: tag, searchMode: 'hybrid', threshold: 0, limit: 8 }),
      post('/v3/search', { q, containerTags: [tag], limit: 5 }),
    ]),
  ]),
  post('/v3/documents/list', { filters: { AND: [{ key: 'kind', value: 'note' }] } }),
  post('/v3/documents/list', { filepath: '/harbour/' }),
  ...UNFINISHED.map(({ customId }) => ({
    ...document(encodeURIComponent(customId)),
    fields: ['status', 'content', 'containerTags'],
  })),
];

async function upload(mneme: Mneme, name: string, content: string): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  form.append('containerTags', 'files');
  const { id } = await expectOk<{ id: string }>(mneme.request('POST', '/v3/documents/file', form));
  await mneme.settled(id);
}

async function expectOk<T>(answer: Promise<{ readonly status: number; readonly body: unknown }>): Promise<T> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as T;
}
