import { columnsOf } from './columns.ts';
import { type Line, linesOf, type Piece } from './lines.ts';

/** A gap between lines of this many line heights begins a paragraph. */
const PARAGRAPH_GAP = 1.55;
/** In a picture the height of the letters is measured; there the gap is compared with the usual one. */
const LARGER_GAP = 1.3;
/** A line that is so much larger than the text of the page is a heading. */
const HEADING_SIZE = 1.2;
const MAX_HEADING = 120;
/** What stands for a hyphen where a word is divided: `-`, its forms of other widths and scripts, and `¬` of OCR programs. */
const HYPHEN = '[-\u2010\u058a\ufe63\uff0d\u00ac]';
const DIVIDED = new RegExp(`\\p{Ll}${HYPHEN}$`, 'u');

/** The page, without its margins. */
export interface PageMeasures {
  /** Quarters by which the page is turned clockwise to be read. */
  readonly quarters: number;
  /** Of the page before it is turned. */
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the paragraphs of a page in reading order. Rows of a table are a line each, cells behind `|`. Text that is turned
 * by quarters follows the text that is upright.
 */
export function pageText(pieces: readonly Piece[], { quarters, width, height }: PageMeasures): readonly string[] {
  if (pieces.length === 0) return [];
  const size = usualSize(pieces);
  const order = new Map(pieces.map((piece, i) => [piece, i]));
  return [0, 1, 2, 3].flatMap((more) => {
    const turned = (quarters + more) & 3;
    const alike = pieces.filter((piece) => piece.quarters === turned);
    const columns = columnsOf(alike, turned & 1 ? height : width, order);
    return wholeWords(columns.map((column) => paragraphsOf(linesOf(column), size, PARAGRAPH_GAP)));
  });
}

/** Returns the paragraphs of all columns; a word that is divided at the end of a column is one word. */
function wholeWords(columns: readonly (readonly string[])[]): readonly string[] {
  const paragraphs: string[] = [];
  for (const [first, ...others] of columns) {
    if (first === undefined) continue;
    const last = paragraphs.at(-1);
    const whole = last === undefined ? null : undivided(last, first);
    if (whole === null) paragraphs.push(first);
    else paragraphs[paragraphs.length - 1] = whole;
    paragraphs.push(...others);
  }
  return paragraphs;
}

/** Returns the paragraphs of a picture of a page, as `pageText` does. The sizes of its pieces are those of the letters. */
export function layOut(pieces: readonly Piece[], pageWidth: number): readonly string[] {
  if (pieces.length === 0) return [];
  const size = usualSize(pieces);
  const columns = columnsOf(pieces, pageWidth).map(linesOf);
  const gap = Math.max(PARAGRAPH_GAP, usualGap(columns) * LARGER_GAP);
  return wholeWords(columns.map((lines) => paragraphsOf(lines, size, gap)));
}

/** The median of the gaps between lines, in heights of their letters. */
function usualGap(columns: readonly (readonly Line[])[]): number {
  const gaps = columns.flatMap((lines) =>
    lines.slice(1).map((line, i) => ((lines[i] as Line).y - line.y) / Math.max(line.size, (lines[i] as Line).size)),
  );
  return gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0;
}

/** The size of most letters that are not filled in. */
function usualSize(pieces: readonly Piece[]): number {
  const printed = pieces.filter(({ isValue }) => !isValue);
  const letters = new Map<number, number>();
  for (const { text, size } of printed.length > 0 ? printed : pieces) {
    const rounded = Math.round(size * 2) / 2;
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
  }
  return [...letters].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

function paragraphsOf(lines: readonly Line[], usual: number, gap: number): string[] {
  const paragraphs: string[] = [];
  let open: { text: string; last: Line } | null = null;
  for (const line of lines) {
    const isHeading = line.size >= usual * HEADING_SIZE && line.text.length <= MAX_HEADING && /\p{L}/u.test(line.text);
    const words = isHeading ? `# ${line.text}` : line.text;
    if (open !== null && continues(open.last, line, gap)) {
      open.text = joined(open.text, line, isHeading ? ' ' : '\n');
      open.last = line;
      paragraphs[paragraphs.length - 1] = open.text;
    } else {
      open = { text: words, last: line };
      paragraphs.push(words);
    }
  }
  return paragraphs;
}

/** Whether a line belongs to the paragraph of the one before it. */
function continues(before: Line, line: Line, most: number): boolean {
  const height = Math.max(before.size, line.size);
  const isSameSize = Math.abs(before.size - line.size) <= height * 0.15;
  const gap = before.y - line.y;
  return isSameSize && gap >= 0 && gap <= height * most && !/^(?:[•▪‣·*–-]|\d{1,3}[.)])\s/.test(line.text);
}

/** A word that is divided at the end of a line is one word; rows of a table stay lines of their own. */
function joined(text: string, line: Line, separator: string): string {
  if (line.isRow || text.endsWith(' |')) return `${text}\n${line.text}`;
  return undivided(text, line.text) ?? text + separator + line.text;
}

/** Joins the parts of a word that the end of a line divides. Null: it divides none. */
function undivided(text: string, next: string): string | null {
  const end = text.slice(-3);
  // Nothing but a division shows a soft hyphen, and a hyphen that does not break belongs to its word.
  if (end.endsWith('\u00ad')) return text.slice(0, -1) + next;
  if (/\p{L}\u2011$/u.test(end)) return text + next;
  return DIVIDED.test(end) && /^\p{Ll}/u.test(next) ? text.slice(0, -1) + next : null;
}
