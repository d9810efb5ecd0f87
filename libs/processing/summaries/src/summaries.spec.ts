import { quantize } from '#features/search';
import { candidatesOf, composeSummary, consideredPlaces, fitsWhole, scoresByVectors, scoresByWords } from './index.ts';

const passages = (...texts: readonly string[]) => texts.map((text, place) => ({ place, text, speaker: null }));
const said = (...texts: readonly string[]) => texts.map((text, place) => ({ place, text, speaker: 'Ann' }));
const vector = (...values: readonly number[]) => quantize(Float32Array.from(values));

const whole = (texts: Parameters<typeof candidatesOf>[0]) => {
  const candidates = candidatesOf(texts);
  expect(fitsWhole(candidates)).toBe(true);
  return composeSummary(candidates, null);
};
const characters = (text: string | null) => [...(text ?? '')].length;

describe('a document whose passages fit', () => {
  test('given few passages, then all of them are the summary', () => {
    expect(whole(passages('The heron waits. It strikes.', 'It flies.'))).toBe('The heron waits. It strikes. It flies.');
  });

  test('given one sentence, then it is the summary', () => {
    expect(whole(passages('The heron waits.'))).toBe('The heron waits.');
  });

  test('given no passage, then there is none', () => {
    expect(whole([])).toBeNull();
    expect(whole(passages(' \n'))).toBeNull();
  });

  test('given Markdown, then headings and marks are left out, unless there is nothing else', () => {
    const text = '# Kiln\n\nFire it **slowly**.\n\n## Glazes\n\n- Ash glaze runs.\n2. `Slip` stays.\n\n---';
    expect(whole(passages(text))).toBe('Fire it slowly. Ash glaze runs. Slip stays.');
    expect(whole(passages('# Kiln', '## Glazes'))).toBe('Kiln Glazes');
    expect(whole(passages('🦆🦆'))).toBe('🦆🦆');
    expect(whole(passages('__\n**'))).toBe('__ **');
  });

  test('given turns or records, then each has a line', () => {
    expect(whole(said('Ann: Is it tarred?', 'Bo: It\nis.'))).toBe('Ann: Is it tarred?\nBo: It is.');
    expect(whole(passages('- boat: Petrel; berth: 9', '- boat: Marigold; berth: 4'))).toBe(
      'boat: Petrel; berth: 9\nboat: Marigold; berth: 4',
    );
  });

  test('given Chinese or Japanese, then no spaces are put between the sentences', () => {
    expect(whole(passages('渡船七点出发。', '灯塔在岛上。', 'See map.'))).toBe('渡船七点出发。灯塔在岛上。 See map.');
    expect(whole(passages('船は七時に出る。\n灯台は島にある。'))).toBe('船は七時に出る。灯台は島にある。');
  });

  test('given a passage twice, then it is there once', () => {
    expect(whole(passages('Salt.', 'Patience.', 'Salt.'))).toBe('Salt. Patience.');
  });
});

describe('a longer document', () => {
  const sentence = (i: number) => `${i} ${'herons wait at weirs in all weathers '.repeat(3)}`.trim();
  const texts = Array.from({ length: 10 }, (_, i) => sentence(i));
  const candidates = candidatesOf(passages(...texts));
  const by = (scores: readonly number[]) => composeSummary(candidates, scores);

  test('given scores, then the best passages that fit are there, in the order of the text', () => {
    expect(fitsWhole(candidates)).toBe(false);
    const scores = texts.map((_, i) => [0, 0, 7, 0, 0, 9, 0, 0, 8, 0][i] as number);
    expect(by(scores)).toBe([2, 5, 8].map(sentence).join(' '));
  });

  test('given equal scores, then its beginning is the summary', () => {
    expect(by(texts.map(() => 0))).toBe([0, 1, 2].map(sentence).join(' '));
  });

  test('given a passage that does not fit behind a better one, then the next one that fits is there', () => {
    const [best, long, short] = ['a'.repeat(300), 'b'.repeat(200), 'c'.repeat(50)];
    expect(composeSummary(candidatesOf(passages(short, long, best)), [1, 2, 3])).toBe(`${short} ${best}`);
  });

  test('given a best passage that is too long, then it is cut at a word, or at a character as it is shown', () => {
    const cut = (text: string) => composeSummary(candidatesOf(passages('short', text)), [0, 1]);
    const words = cut('several words '.repeat(60));
    expect(words).toMatch(/(several|words)…$/);
    expect(characters(words)).toBeGreaterThan(380);
    expect(characters(words)).toBeLessThanOrEqual(400);
    expect(cut('鶴'.repeat(900))).toBe(`${'鶴'.repeat(399)}…`);
    expect(cut('𠮷'.repeat(900))).toBe(`${'𠮷'.repeat(399)}…`);
    // A family is one character as it is shown, of five code points.
    expect(cut(`a${'👨‍👩‍👧'.repeat(900)}`)).toBe(`a${'👨‍👩‍👧'.repeat(79)}…`);
  });

  test('given characters of two code units, then each counts once', () => {
    expect(fitsWhole(candidatesOf(passages('𠮷'.repeat(400))))).toBe(true);
    expect(fitsWhole(candidatesOf(passages('𠮷'.repeat(401))))).toBe(false);
  });

  test('given more than 500 passages, then 500 are compared, from the first to near the last', () => {
    expect(consideredPlaces(3)).toEqual([0, 1, 2]);
    const places = consideredPlaces(100_000);
    expect(places).toHaveLength(500);
    expect([places[0], places[1], places.at(-1)]).toEqual([0, 200, 99_800]);
  });
});

describe('scores', () => {
  test('given vectors, then the nearest to their mean has the highest', () => {
    const [lone, near, other] = scoresByVectors([vector(0, 1, 0), vector(1, 0.2, 0), vector(1, 0, 0.1)]) as number[];
    expect(near).toBeGreaterThan(other as number);
    expect(other).toBeGreaterThan(lone as number);
    expect(scoresByVectors([vector(0, 0)])).toEqual([0]);
  });

  test.each([
    ['English', 'The orchard gate is old.', 'Quinces ripen late.', 'Quinces of the orchard are sold.', 'Nobody came.'],
    ['German', 'Der Obstgarten ist alt.', 'Die Quitten reifen.', 'Quitten aus dem Obstgarten.', 'Niemand kam.'],
    ['Chinese', '果园很旧。', '苹果成熟了。', '果园的苹果。', '没有人来。'],
  ])('given %s, then the passage with most of the frequent words has the highest', async (_, ...texts) => {
    const scores = await scoresByWords(candidatesOf(passages(...texts)));
    expect(scores.indexOf(Math.max(...scores))).toBe(2);
    expect(Math.min(...scores)).toBe(scores[3]);
  });

  test('given no word twice, then all are equal', async () => {
    expect(await scoresByWords(candidatesOf(passages('Gulls nest.', 'Herons wait.')))).toEqual([0, 0]);
  });
});
