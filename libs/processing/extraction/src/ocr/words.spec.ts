import { layOut } from '../pdf/page-text.ts';
import { readingOf } from './words.ts';

interface Line {
  readonly text: string;
  readonly left?: number;
  readonly top: number;
  readonly confidence?: number;
  readonly height?: number;
}

/** A table of words in Tesseract's form, each line in a block of its own. Letters are 15 pixels wide. */
const tsv = (lines: readonly Line[]): string =>
  lines
    .flatMap(({ text, left = 0, top, confidence = 95, height = 30 }, i) => {
      let x = left;
      return text.split(' ').map((word, j) => {
        const row = [5, 1, i + 1, 1, 1, j + 1, x, top, word.length * 15, height, confidence, word].join('\t');
        x += (word.length + 1) * 15;
        return row;
      });
    })
    .join('\n');

const textOf = (lines: readonly Line[]) => layOut(readingOf(tsv(lines)).pieces, 1_600);

test('cells that were recognized apart are a row of a table', () => {
  const cells = (top: number, ...texts: string[]) =>
    texts.map((text, i) => ({ text, left: i * 500, top: top + i * 3 }));
  const rows = [...cells(100, 'item', 'euro'), ...cells(160, 'Rope', '12'), ...cells(220, 'Anchor', '480')];
  expect(textOf(rows)).toEqual(['item | euro\nRope | 12\nAnchor | 480']);
});

test('lines of a wide spacing are one paragraph; a larger gap, and a heading, begin another', () => {
  const lines = ['the goat ate the', 'rope of the fer-', 'ry at night'].map((text, i) => ({ text, top: 300 + i * 70 }));
  const heading = { text: 'The weir', top: 100, height: 60 };
  const last = { text: 'the end came', top: 640 };
  expect(textOf([heading, ...lines, last])).toEqual([
    '# The weir',
    'the goat ate the\nrope of the ferry at night',
    'the end came',
  ]);
});

test('what is recognized with little confidence is left out', () => {
  const noise = { text: '~~ |: ,ii', top: 300, confidence: 25 };
  expect(textOf([{ text: 'a clear line', top: 100 }, noise])).toEqual(['a clear line']);
  expect(readingOf(tsv([noise]))).toMatchObject({ confidence: 25, pieces: [] });
  expect(readingOf('')).toEqual({ confidence: 0, pieces: [] });
});
