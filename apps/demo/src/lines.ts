/** Columns of a line. */
const WIDTH = 100;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Characters of two columns on a terminal: East Asian ones and emoji. */
const WIDE =
  /[\p{sc=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
const RIGHT_TO_LEFT = /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}]/u;

/** Keeps right-to-left text from moving the characters around it: isolates it, in the direction of its first letter. */
export const isolate = (text: string): string => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/**
 * Wraps text into lines of at most 100 columns: between words, in scripts without spaces where a dictionary tells them
 * apart, and within a word that fills a line alone. Each line is isolated.
 */
export function wrap(text: string, indent: string): string {
  const most = WIDTH - indent.length;
  const lines: string[] = [];
  let line = '';
  let column = 0;
  for (const piece of text.split(/(?<= )/).flatMap((word) => piecesOf(word, most))) {
    const width = columns(piece.trimEnd());
    if (line !== '' && column + width > most) {
      lines.push(line);
      [line, column] = ['', 0];
    }
    line += piece;
    column += columns(piece);
  }
  return [...lines, line].map((one) => indent + isolate(one.trimEnd())).join('\n');
}

/** Returns the word, or if it is longer than a line, what it can be divided into. */
function piecesOf(word: string, most: number): readonly string[] {
  if (columns(word) <= most) return [word];
  return [...words.segment(word)].flatMap(({ segment }) =>
    columns(segment) <= most ? [segment] : [...characters.segment(segment)].map((character) => character.segment),
  );
}

function columns(text: string): number {
  let width = 0;
  for (const { segment } of characters.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
