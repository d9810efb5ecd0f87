import { columnsOf } from './columns.ts';
import { type Line, linesOf, type Piece } from './lines.ts';

/** A piece of text as the parser gives it. */
interface TextItem {
  readonly str: string;
  /** `[a, b, c, d, x, y]`; y grows upwards. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** A gap between lines of this many line heights begins a paragraph. */
const PARAGRAPH_GAP = 1.55;
/** In a picture the height of the letters is measured; there the gap is compared with the usual one. */
const LARGER_GAP = 1.3;
/** A line that is so much larger than the text of the page is a heading. */
const HEADING_SIZE = 1.2;
const MAX_HEADING = 120;

/** Returns the paragraphs of a page in reading order. Rows of a table are a line each, cells behind `|`. */
export function pageText(items: readonly object[], pageWidth: number): readonly string[] {
  const pieces = piecesOf(items);
  if (pieces.length === 0) return [];
  const size = usualSize(pieces);
  return columnsOf(pieces, pageWidth).flatMap((column) => paragraphsOf(linesOf(column), size, PARAGRAPH_GAP));
}

/** Returns the paragraphs of a picture of a page, as `pageText` does. The sizes of its pieces are those of the letters. */
export function layOut(pieces: readonly Piece[], pageWidth: number): readonly string[] {
  if (pieces.length === 0) return [];
  const size = usualSize(pieces);
  const columns = columnsOf(pieces, pageWidth).map(linesOf);
  const gap = Math.max(PARAGRAPH_GAP, usualGap(columns) * LARGER_GAP);
  return columns.flatMap((lines) => paragraphsOf(lines, size, gap));
}

/** The median of the gaps between lines, in heights of their letters. */
function usualGap(columns: readonly (readonly Line[])[]): number {
  const gaps = columns.flatMap((lines) =>
    lines.slice(1).map((line, i) => ((lines[i] as Line).y - line.y) / Math.max(line.size, (lines[i] as Line).size)),
  );
  return gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0;
}

function piecesOf(items: readonly object[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const item of items) {
    if (!('str' in item)) continue;
    const { str, transform, width } = item as TextItem;
    if (str.trim() === '') continue;
    const [a = 0, b = 0, , d = 0, x = 0, y = 0] = transform;
    // Turned text is read as it comes; its size is that of its font.
    const size = Math.hypot(a, b) || Math.abs(d) || 1;
    pieces.push({ text: str, x, y, width, size });
  }
  return pieces;
}

/** The size of most letters. */
function usualSize(pieces: readonly Piece[]): number {
  const letters = new Map<number, number>();
  for (const { text, size } of pieces) {
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
      open.text = isHeading ? `${open.text} ${line.text}` : joined(open.text, line);
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
function joined(text: string, line: Line): string {
  if (line.isRow || text.endsWith(' |')) return `${text}\n${line.text}`;
  if (/\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line.text)) return text.slice(0, -1) + line.text;
  return `${text}\n${line.text}`;
}
