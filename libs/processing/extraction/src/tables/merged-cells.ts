import { type Cell, MAX_REPEATS } from './cells.ts';

interface OpenCell {
  readonly words: string;
  readonly column: number;
  /** Behind its last column. */
  readonly end: number;
  readonly lastRow: number;
}

/** A row with the words of merged cells in all cells that they cover. */
export interface FilledRow {
  /** By column. */
  readonly cells: readonly Cell[];
  /** Those of `cells` that no cell of a row above covers. */
  readonly own: readonly Cell[];
  /** It has one cell, which may cover others of the row. */
  readonly isOneCell: boolean;
}

/** Gives the words of merged cells to all cells that they cover. The cost follows the cells of the rows that are asked for. */
export class MergedCells {
  #open: OpenCell[] = [];

  /** The first column from this one on that no cell of a row above covers. */
  firstFree(row: number, column: number): number {
    const covering = this.#open.find((cell) => cell.lastRow >= row && cell.column <= column && column < cell.end);
    return covering === undefined ? column : this.firstFree(row, covering.end);
  }

  /**
   * Call it in the order of the rows.
   * @param cells of the row by column, none of them blank
   */
  fill(row: number, cells: readonly Cell[]): FilledRow {
    if (this.#open.length > 0) this.#open = this.#open.filter(({ lastRow }) => lastRow >= row);
    if (this.#open.length === 0 && cells.every(([, , span]) => span === undefined)) {
      return { cells, own: cells, isOneCell: cells.length === 1 };
    }
    const fromAbove = new Map<number, Cell>();
    for (const { words, column, end } of this.#open) {
      for (let i = column; i < end; i++) fromAbove.set(i, [i, words]);
    }
    const own = new Map<number, Cell>();
    let shown = 0;
    for (const cell of cells) {
      const [column, words, span] = cell;
      // What a merged cell covers is not shown.
      if (fromAbove.has(column) || own.has(column)) continue;
      shown += 1;
      own.set(column, cell);
      if (span === undefined) continue;
      const end = column + Math.min(span.columns, MAX_REPEATS);
      for (let i = column + 1; i < end; i++) own.set(i, [i, words]);
      if (span.rows > 1) this.#open.push({ words, column, end, lastRow: row + span.rows - 1 });
    }
    const all = [...fromAbove.values(), ...own.values()].sort(([a], [b]) => a - b);
    return { cells: all, own: [...own.values()], isOneCell: shown === 1 && fromAbove.size === 0 };
  }
}
