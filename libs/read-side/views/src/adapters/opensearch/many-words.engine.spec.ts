import { randomBytes } from 'node:crypto';
import { countWords } from '#features/search';
import type { ViewsReader } from '../../port.ts';
import type { UnitHit } from '../../queries.ts';
import {
  anyDocument,
  foundBy,
  newOrganization,
  nextPosition,
  removal,
  row,
  searchFor,
  units,
  upsert,
} from '../../testing.ts';
import { placeOf, WORDS_OF_A_ROW } from './document-words.ts';
import { type OpenSearchWriter, openOpenSearchReader, openOpenSearchWriter, removeOpenSearchViews } from './open.ts';

const url = process.env.MNEME_TEST_OPENSEARCH_URL as string;
if (!url)
  throw new Error('MNEME_TEST_OPENSEARCH_URL must name an OpenSearch with the k-NN plugin, e.g. http://127.0.0.1:9200');

const IN_CROWD = { tags: ['tag', 'crowd'] };

describe('a document of more different words than OpenSearch takes in a row', () => {
  const WORDS = 3 * WORDS_OF_A_ROW;
  const UNIT = 250;
  const word = (i: number): string => `w${i}`;
  const texts = Array.from({ length: WORDS / UNIT }, (_, unit) =>
    Array.from({ length: UNIT }, (_, i) => word(unit * UNIT + i)).join(' '),
  );

  const rowOf = (text: string, rows: number): number => placeOf(countWords(text).terms[0] as number, rows);
  const memories = (of: readonly string[]) => ({ units: units('memory', of), header: '', vectors: null });

  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const organization = newOrganization();
  const large = row(organization, IN_CROWD);
  const others = ['w7 apple', 'pear', 'w99 apple and pear', 'w7 w99 plum'].map((text) => ({
    document: row(organization, text === 'pear' ? IN_CROWD : {}),
    text,
  }));
  let writer: OpenSearchWriter;
  let scanning: ViewsReader;
  /** Selects candidates, as in a scope of any size. */
  let picking: ViewsReader;

  beforeAll(async () => {
    writer = await openOpenSearchWriter({ url, prefix, fencingToken: 1, holder: 'test' });
    scanning = await openOpenSearchReader({ url, prefix });
    picking = await openOpenSearchReader({ url, prefix, mostScanned: 0 });
    const changes = others.map(({ document, text }) => upsert(document, memories([text])));
    await writer.apply([upsert(large, memories(texts)), ...changes], nextPosition());
  });
  afterAll(async () => {
    await Promise.all([scanning.close(), picking.close(), writer.close()]);
    await removeOpenSearchViews({ url, prefix });
  });

  const asked = (question: string) => searchFor(question, anyDocument(organization));
  const answers = async (question: string) => {
    const found = await Promise.all([scanning, picking].map((reader) => reader.search(asked(question))));
    return found.map((hits) => hits.map(({ unit, score, evidence }: UnitHit) => [unit.id, score, evidence]));
  };

  it.each([0, WORDS / 3, WORDS / 2, WORDS - 1])('is found by its %i. word', async (i) => {
    for (const reader of [scanning, picking]) {
      const [hit] = await reader.search(asked(word(i)));
      expect(hit?.document.id).toBe(large.id);
      expect(hit?.unit.text).toBe(texts[Math.floor(i / UNIT)]);
    }
  });

  it.each([
    'w7',
    'apple',
    'apple w7 w99',
    `w7 ${word(WORDS - 1)} ${word(WORDS / 2)} plum`,
    `${word(WORDS - 7)} pear`,
    'w7 w99 w1234 w12345 w123456',
  ])('counts with all of its words, to the last digit: %s', async (question) => {
    const [scanned, picked] = await answers(question);
    expect(scanned?.length).toBeGreaterThan(1);
    expect(picked).toEqual(scanned);
  });

  it('is not hidden by a hundred long documents of few words', async () => {
    const books = Array.from({ length: 100 }, () => row(organization, IN_CROWD));
    const text = 'tea '.repeat(WORDS_OF_A_ROW + 1);
    await writer.apply(
      books.map((book) => upsert(book, memories([text]))),
      nextPosition(),
    );
    const ofRow = (place: number) => word(texts.findIndex((_, i) => rowOf(word(i), 3) === place));
    const question = searchFor(`tea ${ofRow(1)} ${ofRow(2)}`, anyDocument(organization, ['crowd']), { limit: 10 });
    const [scanned, picked] = await Promise.all(
      [scanning, picking].map(async (reader) => (await reader.search(question)).map(({ score }) => score)),
    );
    expect(scanned).toHaveLength(10);
    expect(picked).toEqual(scanned);
  });

  it('changes, and goes with all of its words', async () => {
    const edited = { ...large, revision: large.revision + 1 };
    const last = word(WORDS - 1);
    await writer.apply([upsert(edited, memories(['apple', ...texts.slice(1, 250)]))], nextPosition());
    for (const reader of [scanning, picking]) {
      expect(await foundBy(reader, asked(last))).toEqual([]);
      expect(await foundBy(reader, asked(word(60_000)))).toEqual([large.id]);
    }
    const [scanned, picked] = await answers(`apple ${word(60_000)}`);
    expect(picked).toEqual(scanned);

    await writer.apply([removal({ ...large, revision: edited.revision + 1 })], nextPosition());
    for (const reader of [scanning, picking]) expect(await foundBy(reader, asked(word(60_000)))).toEqual([]);
    const [left, leftPicked] = await answers('apple w7');
    expect(leftPicked).toEqual(left);
  });
});
