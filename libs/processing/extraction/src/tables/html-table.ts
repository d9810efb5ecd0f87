import type { DomNode } from 'html-to-text';
import { MAX_REPEATS, spanOf } from './cells.ts';

/** Longest words of a cell that is one line, and of one that is repeated: longer ones are parts of a layout. UTF-16 code units. */
const MAX_LINE = 2_000;
const MAX_REPEATED = 300;
/** What is repeated for one cell besides its words, in UTF-16 code units. */
const FRAME = 3;
/** Elements that begin a new line. */
const LINES: ReadonlySet<string> = new Set('p div br ul ol li dl dt dd'.split(' '));

/** How much of a page may still be repeated, in UTF-16 code units. */
export interface Repeats {
  left: number;
}

/**
 * Gives the words of merged cells to all cells that they cover, and makes each cell one line. Tables inside of the table are
 * left as they are.
 */
export function fillTable(table: DomNode, repeats: Repeats): void {
  const rows = rowsIn(table);
  const width = rows.reduce((most, row) => Math.max(most, cellsIn(row).length), 0);
  let merged = new Map<number, MergedCell>();
  for (const [index, row] of rows.entries()) {
    // A merged cell ends with the head or body of the table.
    if (row.parent !== rows[index - 1]?.parent) merged = new Map();
    for (const [column, { lastRow }] of merged) {
      if (lastRow < index) merged.delete(column);
    }
    const cells = cellsIn(row);
    for (const cell of cells) {
      if (cell.children.some(isElement) && wordsIn(cell, MAX_LINE) <= MAX_LINE)
        cell.children = inLine(trimmed(cell.children));
    }
    if (cells.length > 0 && (merged.size > 0 || cells.some((cell) => spanIn(cell) !== undefined))) {
      row.children = filled(cells, { index, width, merged, repeats });
    }
  }
}

interface MergedCell {
  readonly cell: DomNode;
  readonly lastRow: number;
}

interface RowPlace {
  readonly index: number;
  /** Cells of the longest row. */
  readonly width: number;
  /** Cells that cover rows below their own, by column. */
  readonly merged: Map<number, MergedCell>;
  readonly repeats: Repeats;
}

/** The cells of a row with those that merged cells cover. */
function filled(cells: readonly DomNode[], { index, width, merged, repeats }: RowPlace): DomNode[] {
  const row: DomNode[] = [];
  const repeat = (cell: DomNode): void => {
    const words = wordsIn(cell, MAX_REPEATED);
    const isShort = words <= MAX_REPEATED;
    repeats.left -= isShort ? words + FRAME : FRAME;
    row.push(isShort ? cell : { ...cell, children: [] });
  };
  const repeatFromAbove = (): void => {
    for (let above = merged.get(row.length); above && repeats.left > 0; above = merged.get(row.length)) {
      repeat(above.cell);
    }
  };
  // A cell that is the whole row is a line of its own.
  const isAlone = cells.length === 1 && merged.size === 0;
  for (const cell of cells) {
    repeatFromAbove();
    const { columns, rows } = spanIn(cell) ?? { columns: 1, rows: 1 };
    const start = row.length;
    row.push(cell);
    const end = isAlone ? 1 : Math.min(start + Math.min(columns, MAX_REPEATS), width);
    while (repeats.left > 0 && row.length < end) repeat(cell);
    for (let column = start; rows > 1 && column < row.length; column++) {
      merged.set(column, { cell, lastRow: index + rows - 1 });
    }
  }
  repeatFromAbove();
  return row;
}

const spanIn = ({ attribs }: DomNode) => spanOf(attribs?.colspan, attribs?.rowspan);

const rowsIn = (table: DomNode): readonly DomNode[] =>
  table.children.flatMap((child) => {
    if (child.name === 'tr') return [child];
    return /^t(?:head|body|foot)$/.test(child.name ?? '') ? child.children.filter(({ name }) => name === 'tr') : [];
  });

const cellsIn = (row: DomNode): readonly DomNode[] => row.children.filter(({ name }) => name === 'td' || name === 'th');

const isElement = ({ type }: DomNode): boolean => type === 'tag';

/** Elements with spaces instead of the line ends between them. */
const inLine = (nodes: readonly DomNode[]): DomNode[] =>
  nodes.flatMap((node, i) => {
    if (!isElement(node)) return [node];
    const isLine = LINES.has(node.name ?? '');
    node.children = inLine(isLine ? trimmed(node.children) : node.children);
    if (!isLine) return [node];
    node.name = 'span';
    return [...(i > 0 ? [space()] : []), node, ...(i < nodes.length - 1 ? [space()] : [])];
  });

/** Nodes without white space before and behind them. */
function trimmed(nodes: readonly DomNode[]): readonly DomNode[] {
  const isShown = ({ type, data }: DomNode) => type !== 'text' || data?.trim() !== '';
  return nodes.slice(nodes.findIndex(isShown), nodes.findLastIndex(isShown) + 1);
}

const space = (): DomNode => ({ type: 'text', data: ' ', children: [] });

/** Length of the words of a cell; more than `most` if it is longer, and infinite if it holds a table. */
function wordsIn({ children, data, name }: DomNode, most: number): number {
  if (name === 'table') return Number.POSITIVE_INFINITY;
  let length = data?.length ?? 0;
  for (const child of children ?? []) {
    length += wordsIn(child, most);
    if (length > most) break;
  }
  return length;
}
