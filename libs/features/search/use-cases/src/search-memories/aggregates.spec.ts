import { newOrganization, row, units } from '../../../../../read-side/views/src/testing.ts';
import { withAggregates } from './aggregates.ts';
import type { MemoryResult } from './search-memories.query.ts';

const ORGANIZATION = newOrganization();
let similarity = 1;
const hit = (text: string, document: Parameters<typeof row>[1] = {}, kind: 'memory' | 'chunk' = 'memory') => {
  similarity -= 0.001;
  const [unit] = units(kind, [text]);
  return { unit, similarity, document: row(ORGANIZATION, document), explanation: null } as MemoryResult;
};
const joined = async (...hits: readonly MemoryResult[]) =>
  (await withAggregates(hits)).flatMap(({ aggregate }) => (aggregate === undefined ? [] : [aggregate.text]));

test('given results about one subject, then one that joins them by date stands behind the best of them', async () => {
  const late = hit('The ferry leaves the island at seven.', { documentDate: '2026-03-02' });
  const quince = hit('Quinces ripen in October.');
  const early = hit('The ferry to the island was repaired.', { documentDate: '2026-01-05T10:00:00Z' });
  const results = await withAggregates([late, quince, early]);
  expect(results.map(({ aggregate }) => aggregate !== undefined)).toEqual([false, true, false, false]);
  expect(results[1]).toMatchObject({
    ...{ unit: late.unit, similarity: late.similarity, document: late.document, explanation: null },
    aggregate: {
      text: 'The ferry to the island was repaired.\nThe ferry leaves the island at seven.',
      documents: [late.document, early.document],
    },
  });
  expect(results.filter(({ aggregate }) => aggregate === undefined)).toEqual([late, quince, early]);
});

test('given no document date, or one that is no date, then the time of the add counts', async () => {
  const [late, early] = [2, 1].map((createdAt) => hit(`Ferry ${createdAt}`, { createdAt, documentDate: null }));
  expect(await joined(late as MemoryResult, early as MemoryResult)).toEqual(['Ferry 1\nFerry 2']);
});

test('given more than five about a subject, then the next ones are joined by themselves', async () => {
  const hits = Array.from({ length: 7 }, (_, i) => hit(`Ferry number ${i}.`, { createdAt: i }));
  expect((await joined(...hits)).map((text) => text.split('\n').length)).toEqual([5, 2]);
});

test('given one result, other subjects, or texts without words, then nothing is joined', async () => {
  expect(await joined()).toEqual([]);
  expect(await joined(hit('The ferry leaves.'))).toEqual([]);
  expect(await joined(hit('The ferry leaves.'), hit('Quinces ripen.'), hit('🦆'), hit('🦆!'))).toEqual([]);
});

test('given a chunk and the memory in it, then they are not joined with each other', async () => {
  const chunk = hit('The ferry leaves at seven. The ferry is blue.', {}, 'chunk');
  expect(await joined(hit('The ferry is blue.'), chunk)).toEqual([]);
  expect(await joined(chunk, hit('The ferry is blue.'))).toEqual([]);
});

test('given a chunk that holds the text of a memory of its document in pieces, then they are not joined', async () => {
  const chunk = hit('# Ferry\n\nIt is blue.\n\nIt leaves at seven from the pier.', { id: 'ferry' }, 'chunk');
  const memory = hit('# Ferry\n\nIt leaves at seven from the pier.', { id: 'ferry' });
  expect(await joined(memory, chunk)).toEqual([]);
  expect(await joined(chunk, memory)).toEqual([]);
  expect(await joined(memory, hit('The ferry of the pier is red.', {}, 'chunk'))).toHaveLength(1);
});

test('given long texts, then they share 1,000 characters, and short ones are whole', async () => {
  const long = (word: string) => hit(`ferry ${`${word} `.repeat(300)}`, { createdAt: 1 });
  const short = hit('The ferry is blue.\nIt is old.', { createdAt: 2 });
  for (const hits of [
    [long('island'), short, long('island kiosk')],
    Array.from({ length: 5 }, (_, i) => long(`鶴${i}`)),
  ]) {
    const [text = ''] = await joined(...hits);
    expect([...text].length).toBeLessThanOrEqual(1000);
    expect([...text].length).toBeGreaterThan(900);
    expect(text.split('\n')).toHaveLength(hits.length);
  }
  expect((await joined(long('island'), short))[0]).toMatch(/…\nThe ferry is blue\. It is old\.$/);
});

test('given scripts without spaces, then results share a subject by their words too', async () => {
  expect(await joined(hit('渡船七点出发。', { createdAt: 1 }), hit('渡船很旧。', { createdAt: 2 }))).toEqual([
    '渡船七点出发。\n渡船很旧。',
  ]);
});

test('given texts of a language, then its stop words are no subject, and other forms of a word are', async () => {
  const german = (text: string) => hit(text, { language: 'de', createdAt: -similarity });
  expect(await joined(german('Die Fähre ist seit gestern nicht da.'), german('Das ist nicht die Quitte.'))).toEqual([]);
  expect(await joined(german('Die Rechnung ist da.'), german('Wo liegen die Rechnungen?'))).toHaveLength(1);
});
