import { byLines, type Piece } from './lines.ts';

/** Letters that are drawn again lie nearer than this: shares of their size, and of their width. */
const SAME_PLACE = 0.25;
const SAME_WIDTH = 0.5;
/** Pieces that cover each other by more than this share of their size are not written one after the other. */
const COVERED = 0.3;

/** Leaves out what is drawn again at almost the same place, for bold or shadowed letters. Two equal letters of a word stay. */
export function drawnOnce<T extends Piece>(pieces: readonly T[]): readonly T[] {
  const kept: T[] = [];
  const byText = new Map<string, Map<string, T[]>>();
  for (const piece of pieces) {
    const near = byText.get(piece.text) ?? new Map<string, T[]>();
    if (near.size > 0 && isAround(piece, near)) continue;
    kept.push(piece);
    byText.set(piece.text, near);
    const key = cellOf(piece, 0, 0);
    const here = near.get(key);
    if (here) here.push(piece);
    else near.set(key, [piece]);
  }
  return kept;
}

const isAround = (piece: Piece, near: ReadonlyMap<string, readonly Piece[]>): boolean =>
  NEIGHBOURS.some(([right, up]) => near.get(cellOf(piece, right, up))?.some((other) => isSamePlace(other, piece)));

/** Square of the page, as large as the letters. */
const cellOf = ({ x, y, size, quarters }: Piece, right: number, up: number): string =>
  `${quarters} ${Math.round(x / size) + right} ${Math.round(y / size) + up}`;

const NEIGHBOURS = [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((up) => [right, up] as const));

function isSamePlace(one: Piece, other: Piece): boolean {
  const most = one.size * SAME_PLACE;
  const isAlike = Math.abs(one.size - other.size) <= one.size * 0.1 && Math.abs(one.y - other.y) <= most;
  return isAlike && Math.abs(one.x - other.x) <= Math.min(most, one.width * SAME_WIDTH);
}

/** Whether a piece covers a part of another one, so that letters may be drawn twice within different pieces. */
export const overlap = (pieces: readonly Piece[]): boolean =>
  [0, 1, 2, 3].some((quarters) => byLines(pieces.filter((piece) => piece.quarters === quarters)).some(hasCovered));

function hasCovered(line: readonly Piece[]): boolean {
  let end = Number.NEGATIVE_INFINITY;
  return line.some(({ x, width, size }) => {
    const covered = Math.min(end, x + width) - x;
    end = Math.max(end, x + width);
    return covered > Math.min(size * COVERED, width * SAME_WIDTH);
  });
}
