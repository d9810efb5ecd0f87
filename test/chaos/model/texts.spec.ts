import { ANALYSED_LANGUAGES, countWords } from '#features/search';
import { KEYS } from '../keys.ts';
import { Random } from '../random.ts';
import { callersIn, markersIn, Texts } from './texts.ts';

const TEXTS_OF_A_KEY = 1_000;

const sent = KEYS.flatMap(({ name }) => {
  const texts = new Texts(name, new Random(1));
  return Array.from({ length: TEXTS_OF_A_KEY }, () => ({ caller: name, ...texts.next() }));
});
const markers = sent.map(({ marker }) => marker);

/** Hashes of the terms by which a search finds a text that consists of a marker. */
const termsOf = (marker: string, language: string | null): string => countWords(marker, language).terms.join(' ');

test('a text has one marker, from which its key is known', () => {
  for (const { caller, text, marker } of sent) {
    expect(markersIn(text)).toEqual([marker]);
    expect([...callersIn(text)]).toEqual([caller]);
  }
});

test('a marker is one term, which no other marker has', () => {
  expect(markers.filter((marker) => countWords(marker).length !== 1)).toEqual([]);
  expect(new Set(markers.map((marker) => termsOf(marker, null))).size).toBe(markers.length);
});

// The texts are in no language and may be taken for one in any. A search looks for the terms of all languages of its scope.
test.each(ANALYSED_LANGUAGES)('a marker has the same term in a text that is taken for %s', (language) => {
  expect(markers.filter((marker) => termsOf(marker, language) !== termsOf(marker, null))).toEqual([]);
});
