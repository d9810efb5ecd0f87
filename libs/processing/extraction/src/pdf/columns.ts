import { UNSPACED_LETTERS } from '../characters.ts';
import { byLines, linesOf, type Piece } from './lines.ts';
import { isRightToLeft } from './right-to-left.ts';

/** Narrowest gutter between two columns, as a share of the width of the page. */
const MIN_GUTTER = 0.012;
/** A column has at least this many lines, and this share of the page's width. */
const MIN_LINES = 4;
const MIN_WIDTH = 0.13;
/** Words of a line of prose, or of each column in it, on average; the cells of a table have fewer. */
const MIN_WORDS = 3.5;
/** The same, of columns that are drawn one after the other, as narrow ones of long words are. */
const MIN_WORDS_DRAWN = 2.5;

const LETTER_WITHOUT_SPACES = new RegExp(`[${UNSPACED_LETTERS}]`, 'gu');
/** Pieces of a line that are nearer than this share of their size belong together. */
const MAX_SPACE = 0.4;

type Order = ReadonlyMap<Piece, number>;

/**
 * Divides the pieces of a page into the columns that are read one after the other. A table stays whole: its cells are too
 * short to be columns of prose. What reaches across the columns divides them: it is read between those above and below.
 * @param order in which the pieces are drawn. Absent: it says nothing
 */
export function columnsOf(pieces: readonly Piece[], pageWidth: number, order?: Order): readonly (readonly Piece[])[] {
  const gutter = gutterOf(pieces, pageWidth, order);
  if (gutter === null) return [pieces];
  const runsLeft = isRightToLeft(pieces);
  const columns: Piece[][] = [];
  let [left, right]: [Piece[], Piece[]] = [[], []];
  const flush = () => {
    const sides = runsLeft ? [right, left] : [left, right];
    // Either side may hold further columns.
    for (const side of sides)
      if (side.length > 0) columns.push(...columnsOf(side, pageWidth, order).map((one) => [...one]));
    [left, right] = [[], []];
  };
  /** What reaches across both columns, since the last line of a column. */
  let across: Piece[] | null = null;
  for (const run of byLines(pieces).flatMap(runsOf)) {
    const [start, end] = extentOf(run);
    if (end <= gutter) left.push(...run);
    else if (start >= gutter) right.push(...run);
    else if (across !== null && left.length + right.length === 0) across.push(...run);
    else {
      flush();
      across = [...run];
      columns.push(across);
    }
  }
  flush();
  return columns;
}

/** Divides a line where its pieces are far from each other. */
function runsOf(line: readonly Piece[]): readonly (readonly Piece[])[] {
  const runs: Piece[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const piece of line) {
    if (piece.x - end < piece.size * MAX_SPACE) runs.at(-1)?.push(piece);
    else runs.push([piece]);
    end = Math.max(end, piece.x + piece.width);
  }
  return runs;
}

function extentOf(pieces: readonly Piece[]): readonly [start: number, end: number] {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const piece of pieces) {
    start = Math.min(start, piece.x);
    end = Math.max(end, piece.x + piece.width);
  }
  return [start, end];
}

/** The place between two columns of prose that the fewest pieces cross. Null: there is one column. */
function gutterOf(pieces: readonly Piece[], width: number, order?: Order): number | null {
  if (pieces.length < MIN_LINES * 2) return null;
  const [start, end] = extentOf(pieces);
  const edges = pieces.map((piece) => piece.x + piece.width).filter((x) => x > start + width * MIN_WIDTH && x < end);
  let best: { x: number; crossed: number; gap: number } | null = null;
  for (const x of new Set(edges.map(Math.ceil))) {
    const least = x + width * MIN_GUTTER;
    const next = pieces.reduce((most, piece) => (piece.x >= least ? Math.min(most, piece.x) : most), end);
    if (end - next < width * MIN_WIDTH) continue;
    // Such as the number of the page, which may stand between the columns.
    const crossed = pieces.filter((piece) => piece.x < least && piece.x + piece.width > x).length;
    if (best === null || crossed < best.crossed || (crossed === best.crossed && next - x > best.gap)) {
      best = { x: (x + next) / 2, crossed, gap: next - x };
    }
  }
  if (best === null || best.crossed > pieces.length * 0.2) return null;
  const { x } = best;
  const left = pieces.filter((piece) => piece.x + piece.width <= x);
  const right = pieces.filter((piece) => piece.x >= x);
  const [first, second] = isRightToLeft(pieces) ? [right, left] : [left, right];
  const least = order && areDrawnInTurn(first, second, order) ? MIN_WORDS_DRAWN : MIN_WORDS;
  return [left, right].every((side) => isProse(side, least)) ? x : null;
}

function areDrawnInTurn(first: readonly Piece[], second: readonly Piece[], order: Order): boolean {
  const start = second.reduce((least, piece) => Math.min(least, order.get(piece) ?? 0), Number.POSITIVE_INFINITY);
  return first.every((piece) => (order.get(piece) ?? 0) < start);
}

function isProse(pieces: readonly Piece[], least: number): boolean {
  const lines = linesOf(pieces);
  if (lines.length < MIN_LINES) return false;
  const cells = lines.flatMap(({ text }) => text.split(' | '));
  const words = cells.reduce((sum, cell) => sum + wordsIn(cell), 0);
  return words / cells.length >= least;
}

/** Words of a cell; in scripts without spaces, two letters are one. */
function wordsIn(cell: string): number {
  const letters = cell.match(LETTER_WITHOUT_SPACES)?.length ?? 0;
  return letters === 0 ? cell.split(' ').length : letters / 2 + cell.split(' ').length - 1;
}
