import fc from 'fast-check';
import { analyse } from './analyse.ts';
import { stem } from './english.ts';
import { termHash } from './hash.ts';
import { queryTerms } from './query-terms.ts';

const matches = (query: string, text: string): boolean => {
  const terms = new Set(analyse(text));
  return analyse(query).every((term) => terms.has(term));
};

describe('analyse', () => {
  test.each([
    ['Café Müller', 'cafe muller'],
    ['ＦＵＬＬ width ①', 'full width 1'],
    ['Straße', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['Caroline’s painting', 'Caroline painted'],
    ["O'Brien", 'obrien'],
    ['light\u00adhouse, light\u200bhouse', 'light\u2060house, light\ufeffhouse'],
    ['har\u00adbour\u200b', 'harbour'],
    ['东\u200b京', '东京'],
    ['adoption', 'adopted'],
    ['decisions', 'decision'],
    ['$1,250,000', '1250000'],
  ])('%s and %s give the same terms', (one, other) => {
    expect(analyse(one)).toEqual(analyse(other));
  });

  test.each([
    ['ERR_4711', 'it failed with err_4711 again'],
    ['4711', 'it failed with ERR_4711 again'],
    ['foo.bar', 'call foo.bar first'],
    ['bar', 'call foo.bar first'],
    ['2023-05-08', 'on 2023-05-08.'],
    ['2023', 'on 2023-05-08.'],
    ['tom@example.com', 'Mail: tom@example.com'],
    ['__init__', 'def __init__(self)'],
    ['数据库', '我们的数据库支持全文搜索'],
    ['支持', '我们的数据库支持全文搜索'],
    ['databases', '使用Databases缓存'],
    ['4711', '错误ERR_4711发生'],
    ['東京', '東京都に住んでいます'],
    ['形態素解析', '日本語の形態素解析は難しい'],
    ['コンピューター', '新しいコンピューターを買った'],
    ['ภาษา', 'ภาษาไทยเขียนติดกัน'],
    ['ทำงาน', 'ฉันทำงานที่กรุงเทพ'],
    ['서울', '서울에서 만나요'],
    ['हिन्दी', 'हिन्दी में लिखना'],
    ['ёлка', 'новогодняя елка'],
  ])('the query %s matches "%s"', (query, text) => {
    expect(matches(query, text)).toBe(true);
  });

  test('drops stop words unless the text has no other words', () => {
    expect(analyse('What did the cat do when you were out?')).toEqual(['cat']);
    expect(analyse("it isn't")).not.toContain('isn');
    expect(analyse('The Who')).toEqual(['the', 'who']);
    expect(analyse('')).toEqual([]);
  });

  test('an identifier gives the whole once and its parts', () => {
    expect(analyse('ERR_4711')).toEqual(['err_4711', 'err', '4711']);
    expect(analyse('well-known')).toEqual(['known']);
  });

  test('a word that is also a pair of characters counts once', () => {
    expect(analyse('東京')).toEqual(['東京']);
  });

  test('query syntax, SQL and malformed Unicode give words or no terms', () => {
    expect(analyse(`"cats" OR 1=1; DROP TABLE x; --`)).toEqual(['cat', '1', '1', 'drop', 'tabl', 'x']);
    expect(analyse('* % _ \\ ( ) : ^ ~ \ud800 \0')).toEqual([]);
  });

  test('accepts any string and returns no whitespace, quotes or wildcards', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const term of analyse(text)) expect(term).not.toMatch(/[\s"*]/);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        analyse(String.fromCharCode(...units));
      }),
    );
  });

  test('returns the same terms for the same text, regardless of earlier calls', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, other) => {
        const before = analyse(text);
        analyse(other);
        expect(analyse(text)).toEqual(before);
      }),
    );
  });
});

describe('queryTerms', () => {
  test('counts repetitions and keeps the order of first appearance', () => {
    expect(queryTerms('dog, cat and dogs')).toEqual([
      { term: 'dog', hashes: [termHash('dog')], weight: 2 },
      { term: 'cat', hashes: [termHash('cat')], weight: 1 },
    ]);
  });
});

describe('termHash', () => {
  test('is a non-zero 32-bit number with evenly distributed bits', () => {
    const bits = new Uint32Array(32);
    const words = 4096;
    for (let i = 0; i < words; i++) {
      const hash = termHash(`word${i}`);
      expect(hash).toBeGreaterThan(0);
      for (let bit = 0; bit < 32; bit++) bits[bit] = (bits[bit] as number) + ((hash >>> bit) & 1);
    }
    for (const ones of bits) expect(Math.abs(ones / words - 0.5)).toBeLessThan(0.05);
  });

  test('keeps the values of the stored format', () => {
    expect([termHash(''), termHash('cat'), termHash('東京')]).toMatchInlineSnapshot(`
[
  2872998923,
  4028485276,
  745305631,
]
`);
  });
});

test('stem() returns other strings than English words unchanged', () => {
  expect(['4711', 'err_4711', 'ab', 'елка'].map(stem)).toEqual(['4711', 'err_4711', 'ab', 'елка']);
});
