import { Mneme } from './support/mneme.ts';

/** Writes over HTTP to a customId that name no tag: an existing document stays in its tags. */

const DEFAULT = 'sm_project_default';

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

type Fields = Readonly<Record<string, string>>;
type Request = readonly [path: string, body: object | FormData];

function upload(fields: Fields): Request {
  const form = new FormData();
  form.append('file', new File(['A file of the clinic.'], 'clinic.txt'));
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return ['/v3/documents/file', form];
}

const CONTENT = 'The visit to the clinic is in May.';
const messages = [{ role: 'user', content: 'When is the visit to the clinic?' }];

const WRITES: readonly (readonly [string, (fields: Fields) => Request])[] = [
  ['an add', (fields) => ['/v3/documents', { content: CONTENT, ...fields }]],
  ['a batch', (fields) => ['/v3/documents/batch', { documents: [{ content: CONTENT, ...fields }] }]],
  [
    'a conversation',
    ({ customId, ...fields }) => ['/v4/conversations', { conversationId: customId, messages, ...fields }],
  ],
  ['an upload', upload],
];

const recordOf = async (customId: string) => (await mneme.get(`/v3/documents/${customId}`)).body;
const contextOf = async (tag: string) => (await mneme.get(`/v3/container-tags/${tag}`)).body.entityContext;

test.each(WRITES)(
  '%s without a tag leaves the document in its tag, also with a key and as a retry',
  async (name, write) => {
    const customId = `private-${name.split(' ')[1]}`;
    expect((await mneme.request('POST', ...write({ customId, containerTag: 'clinic' }))).status).toBe(200);
    const { id } = await recordOf(customId);
    const attempts: Record<string, string>[] = [
      {},
      { 'idempotency-key': customId },
      { 'x-stainless-retry-count': '1' },
    ];
    for (const headers of attempts) {
      expect((await mneme.request('POST', ...write({ customId }), headers)).status).toBe(200);
      expect(await recordOf(customId)).toMatchObject({ id, containerTags: ['clinic'] });
    }
    await mneme.settled(id as string);
    const { body: found } = await mneme.post('/v4/search', { q: 'visit clinic', containerTag: DEFAULT, threshold: 0 });
    expect(found.results).toEqual([]);
  },
);

test('a bulk deletion of the default tag leaves documents that were only continued without a tag', async () => {
  const id = await mneme.add('A first line.', { customId: 'kept', containerTag: 'kept' });
  await mneme.add('A second line.', { customId: 'kept' });
  const inDefault = await mneme.add('In the default tag.');
  await mneme.request('DELETE', '/v3/documents/bulk', { containerTags: [DEFAULT] });
  expect((await mneme.get(`/v3/documents/${inDefault}`)).status).toBe(404);
  expect((await mneme.get(`/v3/documents/${id}`)).status).toBe(200);
});

test('the shared tag of a batch is named by its items', async () => {
  const id = await mneme.add('A first line.', { customId: 'shared', containerTag: 'first' });
  const documents = [{ content: 'A second line.', customId: 'shared' }];
  const { body } = await mneme.post<{ results: { id: string }[] }>('/v3/documents/batch', {
    documents,
    containerTag: 'second',
  });
  const other = body.results[0]?.id;
  expect(other).not.toBe(id);
  expect((await mneme.get(`/v3/documents/${other}`)).body.containerTags).toEqual(['second']);
});

test('the entity context of such a write is kept on the default tag only with a new document', async () => {
  await mneme.add('A first line.', { customId: 'guided', containerTag: 'guided' });
  await mneme.add('A second line.', { customId: 'guided', entityContext: 'Of nothing' });
  await mneme.add('In the default tag.');
  expect(await contextOf('guided')).toBeNull();
  expect(await contextOf(DEFAULT)).toBeNull();
  await mneme.add('New in the default tag.', { customId: 'new', entityContext: 'Of the default tag' });
  expect(await contextOf(DEFAULT)).toBe('Of the default tag');
});
