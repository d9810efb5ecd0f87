import { err, ok, type Result, readScope, writeScope } from '#platform/kernel';
import { newDocument, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { tagsOfNew, writtenTags } from './tags.ts';

const DEFAULT = ['sm_project_default'];

test.each([
  ['a full key and no named tag', 'all' as const, [], ok(DEFAULT)],
  ['a full key and named tags', 'all' as const, ['b', 'a'], ok(['b', 'a'])],
  ['a key with one tag and no named tag', ['a'], [], ok(['a'])],
  ['a key with several tags and no named tag', ['a', 'b'], [], err('tag_required')],
  ['a key that may write nothing', [], [], err('forbidden')],
  ['a tag that the key may not write', ['a'], ['a', 'b'], err('forbidden')],
])('given %s, then a new document has its tags, or is refused', (_, writable, named, tags) => {
  expect(tagsOfNew(writeScope(principalOf(writable)), named)).toEqual(tags);
});

test.each([
  ['a new document without named tags', [], true, DEFAULT],
  ['an existing document without named tags', [], false, []],
  ['an existing document with a named tag', ['a'], false, ['a']],
])('given %s, then these tags are written to', (_, named, isNew, tags) => {
  expect(writtenTags(OWNER, named, { isNew })).toEqual(tags);
});

let useCases: UseCases;
beforeAll(async () => {
  useCases = await openUseCases();
});
afterAll(() => useCases.close());

/** The customId and the Idempotency-Key of each test are its own. */
let customId = '';
let tests = 0;
beforeEach(() => {
  tests += 1;
  customId = `note ${tests}`;
});

type Answer = Result<{ readonly id: string; readonly isNew: boolean }, string>;
type Write = (principal: typeof OWNER, tags: readonly string[], key?: string | null) => Promise<Answer>;

const text = (tags: readonly string[]) => newDocument(tags, { customId, content: 'Something is added.' });

/** A write to a customId, by each command. */
const WRITES: readonly (readonly [string, Write])[] = [
  ['an add', (principal, tags, key = null) => useCases.add(principal, text(tags), key)],
  [
    'a batch',
    async (principal, tags, key = null) => {
      const added = await useCases.addAll(principal, [text(tags)], key);
      return added.ok ? (added.value[0] as Answer) : added;
    },
  ],
  [
    'a conversation',
    (principal, tags, key = null) => {
      const messages = [{ role: 'user', parts: [{ text: 'Is it late?' }] }] as const;
      const conversation = { conversationId: customId, messages, tags, metadata: null };
      return useCases.save(principal, conversation, { idempotencyKey: key });
    },
  ],
];
const COMBINED = WRITES.flatMap(([name, write]) => [
  [name, 'without an Idempotency-Key', (...[principal, tags]: Parameters<Write>) => write(principal, tags)] as const,
  [name, 'with one', (...[principal, tags]: Parameters<Write>) => write(principal, tags, `key ${customId}`)] as const,
]);

const tagsOf = async (id: string) => {
  const state = await useCases.documents.load(readScope(OWNER), id);
  return state.status === 'live' ? state.tags : null;
};

describe.each(COMBINED)('given %s, %s, that names no tag', (_, __, write) => {
  test('then an existing document keeps its tags', async () => {
    const id = await useCases.added(['private'], { customId, content: 'A first text.' });
    expect(await write(OWNER, [])).toMatchObject(ok({ id, isNew: false }));
    expect(await tagsOf(id)).toEqual(['private']);
    expect((await useCases.eventTypes(id)).length).toBeGreaterThan(1);
  });

  test.each([
    ['the default tag', OWNER, DEFAULT],
    ['the only tag that the key may write', principalOf(['own', 'other'], { writableTags: ['own'] }), ['own']],
  ])('then a new document has %s', async (_tag, principal, tags) => {
    const added = await write(principal, []);
    expect(added).toMatchObject(ok({ isNew: true }));
    expect(await tagsOf(added.ok ? added.value.id : '')).toEqual(tags);
  });

  test('then a key with several tags writes an existing document of one of them, and begins none', async () => {
    const principal = principalOf(['a', 'b']);
    expect(await write(principal, [])).toEqual(err('tag_required'));
    expect(await useCases.documents.find(readScope(OWNER), customId)).toEqual(err('not_found'));
    const id = await useCases.added(['b', 'c'], { customId, content: 'A first text.' });
    expect(await write(principal, [])).toMatchObject(ok({ id }));
    expect(await tagsOf(id)).toEqual(['b', 'c']);
  });

  test.each([
    ['may not read', principalOf(['b'])],
    ['may only read', principalOf(['a', 'b'], { writableTags: ['b'] })],
  ])('then a document that the key %s stays as it is, and a new one begins', async (_may, principal) => {
    const id = await useCases.added(['a'], { customId });
    expect(await write(principalOf(['b', 'c']), [])).toEqual(err('tag_required'));
    const added = await write(principal, []);
    expect(added).toMatchObject(ok({ isNew: true }));
    expect(await tagsOf(added.ok ? added.value.id : '')).toEqual(['b']);
    expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded']);
  });

  test('then of several documents the one in the default tag is written', async () => {
    await useCases.added(['a'], { customId });
    await useCases.added(['b'], { customId });
    const id = await useCases.added(DEFAULT, { customId, content: 'A first text.' });
    expect(await write(OWNER, [])).toMatchObject(ok({ id, isNew: false }));
  });
});

test.each([
  ['without an Idempotency-Key', null],
  ['with an Idempotency-Key', 'key'],
])(
  'given the retry of an add that names no tag, %s, then the answer is that of the first attempt',
  async (how, key) => {
    const document = newDocument([], { content: `Sent ${how}.` });
    const first = await useCases.add(OWNER, document, key);
    expect(await useCases.add(OWNER, document, key, true)).toEqual(first);
  },
);

test('given items of a batch with one customId, then those that name the same tags are one document', async () => {
  const item = (content: string, tags: readonly string[] = []) => newDocument(tags, { customId, content });
  const added = await useCases.addAll(OWNER, [item('One.'), item('Two.', ['a']), item('Three.')]);
  expect(added).toMatchObject(ok([ok({ isNew: true }), ok({ isNew: true }), ok({ isNew: false })]));
  const [first, second, third] = (added.ok ? added.value : []).map((item) => (item.ok ? item.value.id : ''));
  expect(third).toBe(first);
  expect(await Promise.all([first, second].map((id) => tagsOf(id ?? '')))).toEqual([DEFAULT, ['a']]);
});

test('given a batch by a key with several tags, then items that name none are refused, and the others are added', async () => {
  const item = (tags: readonly string[], name: string | null) => newDocument(tags, { customId: name });
  const items = [item([], null), item([], customId), item(['a'], customId), item(['b'], null)];
  const added = await useCases.addAll(principalOf(['a', 'b']), items);
  const required = err('tag_required');
  expect(added).toMatchObject(ok([required, required, ok({ isNew: true }), ok({ isNew: true })]));
});
