import { textLines } from './text-lines.ts';

const linesOf = (text: string, pieceBytes: number) => {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes);
  }
  return Array.fromAsync(textLines(pieces()));
};

test.each([1, 2, 3, 1_000])('lines end with LF only, in pieces of %d bytes', async (pieceBytes) => {
  const lines = ['one\u2028two\u2029three\u0085four', 'carriage\rreturn\r', '', 'Tromsø 😀', 'without LF'];
  expect(await linesOf(lines.join('\n'), pieceBytes)).toEqual(lines);
});

test('a last LF ends the last line', async () => {
  expect(await linesOf('one\ntwo\n', 100)).toEqual(['one', 'two']);
  expect(await linesOf('', 100)).toEqual([]);
});
