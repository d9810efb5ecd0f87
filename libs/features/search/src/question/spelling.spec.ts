import { wordHashes } from '../analysis/query-terms.ts';
import { spelledWords, spellingsOf, writtenAs } from './spelling.ts';

const asWord = (word: string) => ({ word, hashes: wordHashes(word, []) });
const spellings = (word: string, isKnown = false) => spellingsOf(asWord(word), isKnown);
const rankOf = (word: string, right: string) =>
  spellings(word).findIndex(({ hashes }) => hashes[0] === asWord(right).hashes[0]);

test.each([
  ['recieve', 'receive'],
  ['seperate', 'separate'],
  ['definately', 'definitely'],
  ['walnts', 'walnuts'],
  ['libary', 'library'],
  ['occurence', 'occurrence'],
  ['acomodation', 'accommodation'],
  ['massachussets', 'massachusetts'],
  ['katherine', 'catherine'],
  ['kowalczik', 'kowalczyk'],
  ['jonathon', 'jonathan'],
  ['colour', 'color'],
  ['organise', 'organize'],
  ['centre', 'center'],
  ['москвы', 'москва'],
])('%s can stand for %s', (word, right) => {
  expect(rankOf(word, right)).toBeGreaterThanOrEqual(0);
});

test('usual mistakes come before others', () => {
  expect(rankOf('marbels', 'marbles')).toBeLessThan(rankOf('marbels', 'marvels'));
});

test.each([
  ['house', 'horse'],
  ['market', 'marker'],
  ['father', 'gather'],
  ['regarding', 'rewarding'],
])('%s does not stand for %s', (word, other) => {
  expect(rankOf(word, other)).toBe(-1);
});

test('a word that is known has only spellings of the same sound', () => {
  expect(spellings('marta', true).some(({ word }) => word === 'maria')).toBe(false);
  expect(spellings('reading', true).some(({ word }) => word === 'roading')).toBe(false);
  expect(spellings('colour', true).some(({ word }) => word === 'color')).toBe(true);
});

test('spellings are of other terms, each once, without stop words, and few', () => {
  for (const word of ['their', 'walnuts', 'abcdefghijklmnopqrstuvwx', 'aaaa']) {
    const found = spellings(word);
    expect(found.length).toBeLessThanOrEqual(800);
    const hashes = found.flatMap((one) => one.hashes);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes).not.toContain(asWord(word).hashes[0]);
    expect(found.map((one) => one.word)).not.toContain('there');
    expect(found.map(({ cost }) => cost)).toEqual(found.map(({ cost }) => cost).sort((a, b) => a - b));
  }
});

test('words of letters are varied, and no numbers, identifiers, short words and question words', () => {
  const words = spelledWords(
    "When did Zoë's walnts cost 1234 err_4711 tea, where, walnts? 東京タワー x".concat('y'.repeat(30)),
  );
  expect(words.map(({ word }) => word)).toEqual(['walnts', 'cost']);
  expect(spelledWords('walnut or walnuts')).toHaveLength(1);
  expect(spelledWords('')).toEqual([]);
});

test('a word is found in a text by its term, as it is written there', () => {
  expect(writtenAs('Two Walnuts, please.', asWord('walnut'))).toBe('walnuts');
  expect(writtenAs('She is separating them.', asWord('separate'))).toBe('separating');
  expect(writtenAs('Two nuts.', asWord('walnut'))).toBeNull();
  expect(writtenAs('The community.', asWord('commun'))).toBeNull();
});
