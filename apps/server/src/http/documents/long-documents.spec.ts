import type { RecordContent } from '#features/documents';
import type { Unit } from '#read-side/views';
import { ROW, versionOf } from '../testing/fixtures.ts';
import { chunkList } from './document-parts.responses.ts';
import { documentList, documentRecord } from './documents.responses.ts';
import { longChunksJson, longListJson, longRecordJson } from './long-documents.ts';
import { isReadLater } from './record-content.ts';

const WORDS = 'plain';
/** The pieces separate a surrogate pair, and hold a lone surrogate, quotes and control characters. */
const PIECES = ['Say "', '\uD83D', '\uDE00"\n', '\uD800 \u2028', ''];
const UNITS: readonly Unit[] = ['one', 'two\t"'].map((text, ordinal) => ({
  ...{ id: `u${ordinal}`, kind: 'memory', ordinal, text, speaker: null },
}));

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
const parsed = async (json: AsyncIterable<string>) => JSON.parse((await Array.fromAsync(json)).join(''));
const plain = (value: object) => JSON.parse(JSON.stringify(value));

test.each([
  ['with memories', PIECES, UNITS.map(versionOf)],
  ['without memories', PIECES, []],
  ['without content', null, []],
])('a long record %s equals a short one', async (_, pieces, memories) => {
  const read = { encoding: 'utf-8', frontMatter: { tags: ['weir'] } };
  const long = { row: ROW, ...read, pieces: pieces && each(pieces), eachMemory: each(memories) };
  const content = pieces?.join('') ?? null;
  expect(await parsed(longRecordJson(long, WORDS))).toEqual(
    plain(documentRecord({ row: ROW, content, memories, progress: null, retry: null, ...read }, WORDS)),
  );
});

test('a record with too much content says that it is omitted', async () => {
  const long = {
    row: ROW,
    encoding: null,
    frontMatter: null,
    pieces: null,
    contentOmitted: true,
    eachMemory: each(UNITS.map(versionOf)),
  } as const;
  expect(await parsed(longRecordJson(long, WORDS))).toMatchObject({
    ...{ content: null, contentOmitted: true, memories: [{ id: 'u0' }, { id: 'u1' }] },
  });
});

test.each([[UNITS], [[]]])('a long list of chunks equals a short one', async (chunks) => {
  const of = { id: ROW.id, createdAt: ROW.createdAt };
  expect(await parsed(longChunksJson({ ...of, eachChunk: each(chunks) }))).toEqual(plain(chunkList({ ...of, chunks })));
});

test('a page with content that is read while it is sent equals one that was read before', async () => {
  const page = { page: 2, limit: 4 } as Parameters<typeof documentList>[1];
  const omitted = { row: ROW, content: null, contentOmitted: true } as const;
  const found = (read: readonly RecordContent['content'][]) => ({
    ...{ documents: [...read.map((content) => ({ row: ROW, content })), omitted], total: 9 },
  });
  const contents = found(['short', PIECES.join(''), null, null]);
  const lazy = found(['short', async () => each(PIECES), async () => null, null]);
  expect([isReadLater(lazy.documents), isReadLater(contents.documents)]).toEqual([true, false]);
  const answer = await parsed(longListJson(lazy, page, WORDS));
  expect(answer).toEqual(plain(documentList(contents, page, true, WORDS)));
  expect(answer.memories.at(-1)).toMatchObject({ content: null, contentOmitted: true });
  expect(answer.memories[0]).not.toHaveProperty('contentOmitted');
});
