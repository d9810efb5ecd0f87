import { UnigramTokenizer } from './unigram-tokenizer.ts';

/** Ids are places. The last piece has the lowest score. */
const PIECES: readonly (readonly [piece: string, score: number])[] = [
  ['<s>', 0],
  ['<pad>', 0],
  ['</s>', 0],
  ['<unk>', 0],
  ['\u2581', -4],
  ['\u2581wal', -5],
  ['\u2581walrus', -9],
  ['rus', -3],
  ['s', -6],
  ['"', -7],
  ['海', -5],
  ['海豹', -6],
  ['豹', -8],
];
const json = (spaces: number) =>
  JSON.stringify({ added_tokens: [], model: { type: 'Unigram', unk_id: 3, vocab: PIECES } }, null, spaces);
const pieces = (text: string, tokenizer = new UnigramTokenizer(json(0))) =>
  tokenizer.encode(text).map((id) => PIECES[id]?.[0]);

it('divides a word into the pieces with the highest sum of scores', () => {
  expect(pieces('walrus')).toEqual(['\u2581wal', 'rus']);
  expect(pieces('walruss')).toEqual(['\u2581wal', 'rus', 's']);
  expect(pieces('海豹')).toEqual(['\u2581', '海豹']);
});

it('reads a vocabulary in any layout, with pieces that are escaped', () => {
  expect(pieces('s"', new UnigramTokenizer(json(2)))).toEqual(['\u2581', 's', '"']);
});

it('unifies compatibility forms and white space, and leaves control characters out', () => {
  expect(pieces('  ｗａｌ\trus\u200b\u0007 wal\n')).toEqual(pieces('wal rus wal'));
  expect([pieces(''), pieces(' \n')]).toEqual([[], []]);
});

it('leaves characters out that are not shown', () => {
  expect(pieces('wal\u00adr\u200bu\u2060s\ufeff')).toEqual(pieces('walrus'));
});

it('takes unknown characters in a row as one piece', () => {
  expect(pieces('🦭🦭s')).toEqual(['\u2581', '<unk>', 's']);
});

it('does not take the names of control pieces in a text for these', () => {
  expect(pieces('</s>')).not.toContain('</s>');
  const { begin, separator } = new UnigramTokenizer(json(0));
  expect([begin, separator]).toEqual([0, 2]);
});

it('refuses a file of another kind', () => {
  expect(() => new UnigramTokenizer('{"model":{"type":"WordPiece","vocab":{}}}')).toThrow('no Unigram vocabulary');
});
