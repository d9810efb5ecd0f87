import type { Place } from './place.ts';
import { isRightToLeft, readFromRight } from './right-to-left.ts';

/** A piece of text on a page. */
export interface Piece extends Place {
  readonly text: string;
  readonly width: number;
  /** It is filled in, and belongs to the label in front of it. */
  readonly isValue?: true;
}

export interface Line {
  readonly text: string;
  readonly y: number;
  readonly size: number;
  /** It is a row of a table: its parts are far from each other. */
  readonly isRow: boolean;
}

/** Pieces whose baselines differ by less than this share of their size are on one line. */
const SAME_LINE = 0.45;
/** Smaller letters may stand higher or lower by this share of their own size, such as numbers of notes and ordinals. */
const RAISED = 0.8;
const RAISED_SIZE = 0.8;
/** Gaps in sizes of the letters: from here on there is a space, a cell of a table, and one of a table of form fields. */
export const SPACE = 0.15;
const CELL = 1.6;
const FIELD_CELL = 0.5;

/** Returns the lines of a column of text, from top to bottom. */
export const linesOf = (pieces: readonly Piece[]): readonly Line[] => byLines(pieces).map(lineOf);

/** Returns the pieces of each line, from left to right. */
export function byLines(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const sorted = [...pieces].sort((a, b) => b.y - a.y || a.x - b.x);
  const lines: Piece[][] = [];
  let open: Piece[] = [];
  for (const piece of sorted) {
    const [first] = open;
    if (first !== undefined && isOnLine(first, piece)) open.push(piece);
    else {
      open = [piece];
      lines.push(open);
    }
  }
  for (const line of lines) line.sort((a, b) => a.x - b.x);
  return lines;
}

function isOnLine(first: Piece, piece: Piece): boolean {
  const [small, large] = [Math.min(first.size, piece.size), Math.max(first.size, piece.size)];
  return first.y - piece.y <= Math.max(large * SAME_LINE, small <= large * RAISED_SIZE ? small * RAISED : 0);
}

function lineOf(pieces: readonly Piece[]): Line {
  /** Pieces of each cell, and the spaces between them. */
  const cells: string[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const [i, piece] of pieces.entries()) {
    const before = pieces[i - 1];
    const gap = (piece.x - end) / piece.size;
    const isBehindLabel = piece.isValue && /[:?]$/.test(before?.text ?? '');
    const isCell = gap >= (piece.isValue && before?.isValue ? FIELD_CELL : CELL) && !isBehindLabel;
    if (before === undefined || isCell) cells.push([piece.text]);
    else cells.at(-1)?.push(gap >= SPACE ? ' ' : '', piece.text);
    end = Math.max(end, piece.x + piece.width);
  }
  const words = isRightToLeft(pieces) ? cells.reverse().map(readFromRight) : cells;
  const text = words.map((parts) => parts.join('').replace(/\s+/g, ' ').trim()).join(' | ');
  const [first] = pieces as readonly [Piece];
  const size = pieces.reduce((most, piece) => Math.max(most, piece.size), 0);
  return { text, y: first.y, size, isRow: cells.length > 1 };
}
