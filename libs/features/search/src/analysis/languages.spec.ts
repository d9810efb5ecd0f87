import fc from 'fast-check';
import { analyse } from './analyse.ts';
import { ANALYSED_LANGUAGES } from './languages.ts';
import { queryLanguages, queryTerms } from './query-terms.ts';

/** Forms of one word in each language. */
const FORMS = [
  ['de', 'Rechnungen', 'Rechnung'],
  ['de', 'Häuser', 'Haus'],
  ['de', 'Küche', 'Kuche'],
  ['de', 'Donau\u00addampf\u00adschiff\u00adfahrt', 'Donaudampfschifffahrt'],
  ['fr', 'chevaux', 'cheval'],
  ['fr', 'mangeait', 'manger'],
  ['fr', 'l’eau', 'eau'],
  ['es', 'reuniones', 'reunión'],
  ['es', 'cantaba', 'cantar'],
  ['it', 'biblioteche', 'biblioteca'],
  ['it', "dell'amico", 'amici'],
  ['pt', 'livros', 'livro'],
  ['pt', 'cantava', 'cantar'],
  ['nl', 'vergaderingen', 'vergadering'],
  ['sv', 'flickor', 'flicka'],
  ['da', 'møderne', 'møder'],
  ['no', 'møtene', 'møter'],
  ['nb', 'bilene', 'biler'],
  ['fi', 'taloissa', 'talossa'],
  ['ru', 'кошками', 'кошка'],
  ['ru', 'красный', 'красного'],
  ['uk', 'собаки', 'собака'],
  ['bg', 'книгата', 'книга'],
  ['bg', 'войници', 'войник'],
  ['bg', 'вестници', 'вестник'],
  ['sr', 'књиге', 'књига'],
  ['el', 'γάτες', 'γάτα'],
  ['hu', 'könyvek', 'könyv'],
  ['ro', 'cărți', 'cărțile'],
  ['tr', 'kediler', 'kedi'],
  ['lt', 'knygos', 'knyga'],
  ['ar', 'الكتاب', 'كتاب'],
  ['ar', 'كِتَاب', 'كتاب'],
  ['ar', 'كتـــاب', 'كتاب'],
  ['he', 'שָׁלוֹם', 'שלום'],
  ['hi', 'किताबें', 'किताब'],
  ['ne', 'किताबहरू', 'किताब'],
  ['ta', 'புத்தகங்கள்', 'புத்தகம்'],
  ['id', 'membaca', 'baca'],
] as const;

test.each(FORMS)('%s: %s and %s have the same term', (language, one, other) => {
  expect(analyse(one, language)).toEqual(analyse(other, language));
});

test.each([
  ['de', 'Wo ist die Katze?', ['katz']],
  ['fr', 'Le chat est dans la maison.', ['chat', 'maison']],
  ['es', '¿Dónde está el gato?', ['gat']],
  ['ru', 'где же кошка', ['кошк']],
  ['ar', 'من هو المعلم', ['معلم']],
])('%s: stop words of "%s" are no terms', (language, text, terms) => {
  expect(analyse(text, language)).toEqual(terms);
});

test('a text of stop words only keeps them, in every language', () => {
  expect(analyse('Der, die, das', 'de')).toEqual(['der', 'die', 'das']);
});

test('identifiers, numbers and scripts without spaces are the same terms in every language', () => {
  for (const language of [null, 'de', 'ru', 'ar', 'zh']) {
    expect(analyse('ERR_4711', language)).toEqual(['err_4711', 'err', '4711']);
    expect(analyse('1,250,000', language)).toEqual(['1250000']);
    expect(analyse('東京', language)).toEqual(['東京']);
  }
});

test.each(['en', 'zh', 'ja', 'pl', 'tlh', 'no such tag', ''])('%j is analysed as English', (language) => {
  expect(analyse('The painters painted 東京', language)).toEqual(analyse('The painters painted 東京'));
});

test('accepts any string in any language, and gives the same terms for the same text', () => {
  const languages = fc.constantFrom('de', 'fr', 'tr', 'ar', 'he', 'el', 'hy', 'ga', 'ta', 'hu');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), languages, (text, language) => {
      const terms = analyse(text, language);
      for (const term of terms) expect(term).not.toMatch(/[\s"*]/);
      expect(analyse(text, language)).toEqual(terms);
    }),
  );
});

test('a single character that Unicode decomposes into a space and marks becomes one term without the space', () => {
  expect(analyse('\ufc5e', 'de')).toEqual(['\u064c\u0651']);
});

const SCRIPTS: Readonly<Record<string, readonly [first: number, last: number]>> = {
  ...{ ru: [0x430, 0x44f], uk: [0x430, 0x457], bg: [0x430, 0x44f], sr: [0x430, 0x45f], el: [0x3ac, 0x3ce] },
  ...{ ar: [0x621, 0x64a], he: [0x5d0, 0x5ea], hi: [0x904, 0x94d], ne: [0x904, 0x94d], ta: [0xb85, 0xbcd] },
  hy: [0x561, 0x586],
};

test.each(ANALYSED_LANGUAGES)('%s: accepts any word of its letters', (language) => {
  const [first, last] = SCRIPTS[language] ?? [0x61, 0x17f];
  const letter = fc.integer({ min: first, max: last }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.array(letter, { minLength: 1, maxLength: 12 }), (letters) => {
      expect(analyse(letters.join(''), language).every((term) => term !== '')).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

describe('queryTerms() in a scope of several languages', () => {
  const wordsOf = (text: string, languages: readonly string[]) => queryTerms(text, queryLanguages(text, languages));
  const termsOf = (text: string, languages: readonly string[]) => wordsOf(text, languages).map(({ term }) => term);

  test('a word has a stem for each language and counts once', () => {
    const [only, ...others] = wordsOf('Rechnungen', ['de', 'fr']);
    expect(others).toEqual([]);
    expect(only?.weight).toBe(1);
    expect(only?.hashes).toEqual(
      expect.arrayContaining(
        ['de', 'fr', null].flatMap((one) => queryTerms(analyse('Rechnungen', one)[0] ?? '')[0]?.hashes ?? []),
      ),
    );
  });

  test('forms of a word that share a stem are one word', () => {
    expect(wordsOf('Katze Katzen', ['de'])).toMatchObject([{ weight: 2 }]);
  });

  test('stop words of the language that is asked in are left out', () => {
    expect(termsOf('Wo ist die Katze?', ['de'])).toHaveLength(1);
    expect(termsOf('Where is the cat?', ['de', 'fr'])).toEqual(['cat']);
    expect(termsOf('did anybody die in the war', ['de'])).toEqual(['anybodi', 'die', 'war']);
  });

  test('without other languages the terms are English', () => {
    expect(wordsOf('The painted walls', ['zh', 'pl'])).toEqual(queryTerms('The painted walls'));
  });
});
