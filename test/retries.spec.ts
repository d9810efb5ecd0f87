import Supermemory from 'supermemory';
import { LossyProxy } from './support/lossy-proxy.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

/** Requests that the public client sends again because the answer was lost. */

let mneme: Mneme;
let lossy: LossyProxy;
let client: Supermemory;
beforeAll(async () => {
  mneme = await Mneme.start();
  lossy = await LossyProxy.start(() => mneme.url);
  client = new Supermemory({ apiKey: OWNER_KEY, baseURL: lossy.url });
});
beforeEach(() => {
  lossy.losses = 1;
  lossy.lost = 0;
});
afterAll(async () => {
  await lossy.stop();
  await mneme.stop();
});

/** The documents with the tag, when there are at least so many: the views may be behind. */
function listed(containerTag: string, count = 1): Promise<{ id: string }[]> {
  return eventually(async () => {
    const { body } = await mneme.post<{ memories: { id: string }[] }>('/v3/documents/list', { containerTag });
    return body.memories.length >= count ? body.memories : null;
  });
}

test('an add makes one document, also if two answers are lost', async () => {
  lossy.losses = 2;
  const { id } = await client.add({ content: 'Only once.', containerTag: 'add', metadata: { a: 1 } });
  expect(lossy.lost).toBe(2);
  expect(await listed('add')).toMatchObject([{ id }]);
});

test('an upload makes one document', async () => {
  const file = new File(['name,city\nAda,Oslo\n'], 'people.csv');
  const { id } = await client.documents.uploadFile({ file, containerTag: 'upload' });
  expect(lossy.lost).toBe(1);
  expect(await listed('upload')).toMatchObject([{ id }]);
});

test('the retry of a delta appends it once', async () => {
  const first = await mneme.add('The first turn.', { customId: 'lost', containerTag: 'delta' });
  lossy.losses = 2;
  const { id } = await client.add({ content: 'The second turn.', customId: 'lost', containerTag: 'delta' });
  expect(lossy.lost).toBe(2);
  expect(id).toBe(first);
  expect((await mneme.get(`/v3/documents/${id}`)).body.content).toBe('The first turn.\nThe second turn.');
});

test('a batch makes each document once and appends each delta once', async () => {
  const first = await mneme.add('The first turn.', { customId: 'batched', containerTag: 'batch' });
  const documents = [
    { content: 'A document of its own.', customId: 'of its own' },
    { content: 'The second turn.', customId: 'batched' },
    { content: 'The third turn.', customId: 'batched' },
  ];
  const { results } = await client.documents.batchAdd({ documents, containerTag: 'batch' });
  expect(lossy.lost).toBe(1);
  expect(results.map(({ id }) => id)).toEqual([expect.any(String), first, first]);
  expect((await listed('batch', 2)).map(({ id }) => id).sort()).toEqual([results[0]?.id, first].sort());
  const { content } = (await mneme.get('/v3/documents/batched')).body;
  expect(content).toBe('The first turn.\nThe second turn.\nThe third turn.');
});

test('a batch without customIds makes each document once, two equal ones included', async () => {
  const contents = ['One of two.', 'One of two.', 'Another.'];
  const documents = contents.map((content) => ({ content }));
  const { results } = await client.documents.batchAdd({ documents, containerTag: 'unnamed' });
  expect(lossy.lost).toBe(1);
  const ids = results.map(({ id }) => id);
  expect(ids.toSorted()).toEqual((await listed('unnamed')).map(({ id }) => id).sort());
  const stored = await Promise.all(ids.map(async (id) => (await mneme.get(`/v3/documents/${id}`)).body.content));
  expect(stored).toEqual(contents);
});

test('the messages of a conversation are saved once, at its beginning and later', async () => {
  const save = (...words: string[]) =>
    client.post<{ id: string }>('/v4/conversations', {
      body: {
        conversationId: 'chat',
        messages: words.map((content) => ({ role: 'user', content })),
        containerTags: ['chats'],
      },
    });
  const { id } = await save('Hello?');
  await save('Are you there?', 'I am.');
  expect(lossy.lost).toBe(2);
  expect(await listed('chats')).toMatchObject([{ id }]);
  expect((await mneme.get('/v3/documents/chat')).body.content).toBe('user: Hello?\nuser: Are you there?\nuser: I am.');
});

test('an add, a batch and a delta are recognised after a restart between the attempts', async () => {
  await mneme.add('One.', { customId: 'restarted' });
  lossy.beforeLoss = async () => {
    mneme = await mneme.restart('SIGKILL');
  };
  try {
    const { id } = await client.add({ content: 'Across a restart.', containerTag: 'restart' });
    expect(await listed('restart')).toMatchObject([{ id }]);
    const both = [{ content: 'Both.' }, { content: 'Both.' }];
    await client.documents.batchAdd({ documents: both, containerTag: 'both' });
    expect(await listed('both')).toHaveLength(2);
    await client.add({ content: 'Two.', customId: 'restarted' });
  } finally {
    lossy.beforeLoss = async () => {};
  }
  expect(lossy.lost).toBe(3);
  expect((await mneme.get('/v3/documents/restarted')).body.content).toBe('One.\nTwo.');
});

test('two retries at once make one document, of a text and of a file', async () => {
  const retry = { 'x-stainless-retry-count': '1' };
  for (let i = 0; i < 10; i += 1) {
    const form = () => {
      const upload = new FormData();
      upload.append('file', new File([`The file ${i}.`], 'file.txt'));
      return upload;
    };
    for (const send of [
      () => mneme.post('/v3/documents', { content: `At once ${i}.` }, retry),
      () => mneme.request('POST', '/v3/documents/file', form(), retry),
    ]) {
      const [one, other] = await Promise.all([send(), send()]);
      expect(one.status).toBe(200);
      expect(other.body.id).toBe(one.body.id);
    }
  }
});

test('an equal add that is no retry makes another document', async () => {
  await mneme.add('Twice.', { containerTag: 'twice' });
  await mneme.add('Twice.', { containerTag: 'twice' });
  expect(await listed('twice', 2)).toHaveLength(2);
});
