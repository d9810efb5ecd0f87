import { linesOf, type Piece } from './lines.ts';

/** Narrowest gutter between two columns, as a share of the width of the page. */
const MIN_GUTTER = 0.015;
/** A column has at least this many lines, and this share of the page's width. */
const MIN_LINES = 4;
const MIN_WIDTH = 0.18;
/** Words of a line of prose, on average; the cells of a table have fewer. */
const MIN_WORDS = 3.5;

/**
 * Divides the pieces of a page into the columns that are read one after the other. A table stays whole: its cells are too
 * short to be columns of prose. What reaches across the columns divides them: it is read between those above and below.
 */
export function columnsOf(pieces: readonly Piece[], pageWidth: number): readonly (readonly Piece[])[] {
  const gutter = gutterOf(pieces, pageWidth);
  if (gutter === null) return [pieces];
  const columns: Piece[][] = [];
  let [left, right]: [Piece[], Piece[]] = [[], []];
  const flush = () => {
    // Either side may hold further columns.
    for (const side of [left, right])
      if (side.length > 0) columns.push(...columnsOf(side, pageWidth).map((one) => [...one]));
    [left, right] = [[], []];
  };
  for (const piece of [...pieces].sort((a, b) => b.y - a.y || a.x - b.x)) {
    if (piece.x + piece.width <= gutter) left.push(piece);
    else if (piece.x >= gutter) right.push(piece);
    else {
      flush();
      const before = columns.at(-1);
      if (before?.every((one) => crosses(one, gutter))) before.push(piece);
      else columns.push([piece]);
    }
  }
  flush();
  return columns;
}

const crosses = ({ x, width }: Piece, gutter: number): boolean => x < gutter && x + width > gutter;

/** The place between two columns of prose that the fewest pieces cross. Null: there is one column. */
function gutterOf(pieces: readonly Piece[], width: number): number | null {
  if (pieces.length < MIN_LINES * 2) return null;
  let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const piece of pieces) {
    left = Math.min(left, piece.x);
    right = Math.max(right, piece.x + piece.width);
  }
  const edges = pieces.map((piece) => piece.x + piece.width).filter((x) => x > left + width * MIN_WIDTH && x < right);
  let best: { x: number; crossed: number; gap: number } | null = null;
  for (const edge of new Set(edges.map((x) => Math.round(x)))) {
    const x = edge + 0.5;
    const next = pieces.reduce((least, piece) => (piece.x >= x ? Math.min(least, piece.x) : least), right);
    if (next - x < width * MIN_GUTTER || right - next < width * MIN_WIDTH) continue;
    const middle = (x + next) / 2;
    const crossed = pieces.filter((piece) => crosses(piece, middle)).length;
    if (best === null || crossed < best.crossed || (crossed === best.crossed && next - x > best.gap)) {
      best = { x: middle, crossed, gap: next - x };
    }
  }
  if (best === null || best.crossed > pieces.length * 0.2) return null;
  const { x } = best;
  const sides = [pieces.filter((piece) => piece.x + piece.width <= x), pieces.filter((piece) => piece.x >= x)];
  return sides.every(isProse) ? x : null;
}

function isProse(pieces: readonly Piece[]): boolean {
  const lines = linesOf(pieces);
  if (lines.length < MIN_LINES) return false;
  const words = lines.reduce((sum, { text }) => sum + text.split(' ').length, 0);
  return words / lines.length >= MIN_WORDS;
}
