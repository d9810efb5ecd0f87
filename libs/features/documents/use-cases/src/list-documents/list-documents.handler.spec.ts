import type { OrganizationId, Scope } from '#platform/kernel';
import { row } from '../../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { ListDocumentsHandler } from './list-documents.handler.ts';
import { ListDocuments } from './list-documents.query.ts';

let useCases: UseCases;
let handler: ListDocumentsHandler;
let withContent: string;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new ListDocumentsHandler(useCases.currentViews, useCases.past, useCases.contents);
  withContent = await useCases.added(['a', 'b'], { content: 'hello' });
  await useCases.show(
    [row(ORGANIZATION, { id: withContent, tags: ['a', 'b'], createdAt: 3 })],
    [row(ORGANIZATION, { id: 'of-b', tags: ['b'], createdAt: 2 })],
    [row(ORGANIZATION, { id: 'of-c', tags: ['c'], createdAt: 1 })],
    [row('organization-b' as OrganizationId, { id: 'elsewhere', tags: ['a'] })],
  );
});
afterAll(() => useCases.close());

const list = async (tags: Scope['tags'], includeContent = false) => {
  const page = { sort: 'createdAt', order: 'desc', page: 1, limit: 10 } as const;
  const filters = { filter: null, filepath: null, stages: null, sources: null, customIds: null, asOf: null };
  const query = new ListDocuments(principalOf(tags), [], { ...filters, ...page, includeContent });
  const { documents, total } = await handler.execute(query);
  return {
    ids: documents.map((document) => document.row.id),
    contents: documents.map(({ content }) => content),
    total,
  };
};

test('documents with a tag of the scope are listed and counted, of one organization', async () => {
  expect(await list(['a'])).toMatchObject({ ids: [withContent], total: 1 });
  expect(await list(['b', 'x'])).toMatchObject({ ids: [withContent, 'of-b'], total: 2 });
  expect(await list('all')).toMatchObject({ ids: [withContent, 'of-b', 'of-c'], total: 3 });
  expect(await list([])).toMatchObject({ ids: [], total: 0 });
});

test('contents are those of documents within the scope', async () => {
  expect(await list(['a'], true)).toEqual({ ids: [withContent], contents: ['hello'], total: 1 });
});

test('content beyond two million characters is read when it is asked for', async () => {
  const [long, short] = ['Long. '.repeat(200_000), 'short'];
  const ids = [
    await useCases.added(['long'], { content: long }),
    await useCases.added(['long'], { content: `Other. ${long}` }),
    await useCases.added(['long'], { content: short }),
    await useCases.added(['long'], { content: `Gone. ${long}` }),
  ];
  await useCases.show(
    ...ids.map((id, i) => [row(ORGANIZATION, { id, tags: ['long'], createdAt: 9 - i })] as [ReturnType<typeof row>]),
  );
  const { contents } = await list(['long'], true);
  expect(contents.map((content) => typeof content)).toEqual(['string', 'function', 'string', 'function']);
  const [first, second, third, fourth] = contents;
  expect([first === long, third]).toEqual([true, short]);
  if (typeof second !== 'function' || typeof fourth !== 'function') throw new Error('they are not read later');
  expect((await Array.fromAsync((await second())!)).join('') === `Other. ${long}`).toBe(true);
  await useCases.append(ids[3]!, { type: 'DocumentDeleted', payload: null });
  expect(await fourth()).toBeNull();
});

test('content beyond 64 MB is omitted and not read, and every record stays in its place', async () => {
  // 30 MB of UTF-8 each.
  const large = ['a', 'b', 'c'].map((name) => name + 'é'.repeat(15_000_000));
  const ids: string[] = [];
  for (const content of [...large, 'short']) ids.push(await useCases.added(['large'], { content }));
  await useCases.show(
    ...ids.map((id, i) => [row(ORGANIZATION, { id, tags: ['large'], createdAt: 9 - i })] as [ReturnType<typeof row>]),
  );
  const read: string[] = [];
  const { blobs } = useCases;
  const { stream, get } = blobs;
  blobs.stream = (key, from) => {
    read.push(key);
    return stream.call(blobs, key, from);
  };
  blobs.get = (key) => {
    read.push(key);
    return get.call(blobs, key);
  };
  const { documents } = await handler.execute(
    new ListDocuments(principalOf(['large']), [], {
      ...{ filter: null, filepath: null, stages: null, sources: null, customIds: null, includeContent: true },
      ...{ sort: 'createdAt', order: 'desc', page: 1, limit: 10, asOf: null },
    }),
  );
  expect(documents.map(({ row: { id }, contentOmitted = false }) => [id, contentOmitted])).toEqual([
    [ids[0], false],
    [ids[1], false],
    [ids[2], true],
    [ids[3], false],
  ]);
  expect(documents.slice(2).map(({ content }) => content)).toEqual([null, 'short']);
  for (const [i, { content }] of documents.slice(0, 2).entries()) {
    if (typeof content !== 'function') throw new Error('it is not read later');
    let length = 0;
    for await (const piece of (await content()) ?? []) length += piece.length;
    expect(length).toBe(large[i]?.length);
  }
  expect(read.filter((key) => key.includes(ids[2] ?? ''))).toEqual([]);
  Object.assign(blobs, { stream, get });
});
