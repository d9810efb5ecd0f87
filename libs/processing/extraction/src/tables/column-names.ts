import type { Cell } from './cells.ts';
import { areNames, contrasts, type HeaderCandidate } from './header-row.ts';
import type { FilledRow } from './merged-cells.ts';

/** Rows that are looked at for the names of the columns: titles and notes may precede them. */
export const ROWS_LOOKED_AT = 30;

/** A row with at least one cell of its own; no cell is blank. */
export interface Row extends FilledRow {
  readonly number: number;
  /** It has no columns. */
  readonly isLine: boolean;
  /** The row before it is empty. */
  readonly isAfterGap: boolean;
}

export interface NamedColumns {
  /** Columns that the rows have. */
  readonly width: number;
  /** The rows from `first` up to `end` hold the names. If they are equal, there are no names. */
  readonly first: number;
  readonly end: number;
  readonly names: ReadonlyMap<number, string>;
}

/** Whether one merged cell is as wide as the table. */
export const isBanner = ({ isOneCell, cells }: Row, width: number): boolean =>
  isOneCell && cells.length > 1 && cells.length >= width;

/** Finds the names of the columns in the first rows of a table. */
export function namedColumns(rows: readonly Row[]): NamedColumns {
  const table = new FirstRows(rows);
  const { width } = table;
  let first = table.firstNames();
  if (first === -1) return { width, first: 0, end: 0, names: new Map() };
  let end = first + 1;
  while (table.areGroups(first - 1, first)) first -= 1;
  while (table.areGroups(end - 1, end)) end += 1;
  return { width, first, end, names: joined(rows.slice(first, end)) };
}

/** The names of each column, one below the other, in one. */
function joined(rows: readonly Row[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const last = rows.at(-1) as Row;
  for (const row of rows) {
    for (const [column, words] of row === last ? row.cells : groupsOver(last, row)) {
      const name = words.replace(/\s+/g, ' ').trim();
      const above = names.get(column);
      names.set(column, above === undefined || above === name ? name : `${above} ${name}`);
    }
  }
  return names;
}

/**
 * The names of groups of columns, for each column. Without merged cells, a name counts up to the next one, and the last one for
 * as many columns as the one before it.
 */
function groupsOver(lower: Row, { cells }: Row): readonly Cell[] {
  if (cells.some(([, , span]) => span !== undefined)) return cells;
  const last = lower.cells.at(-1)?.[0] ?? 0;
  let width = Number.POSITIVE_INFINITY;
  return cells.flatMap(([column, words], i) => {
    const next = cells[i + 1]?.[0] ?? Math.max(column, Math.min(last, column + width - 1)) + 1;
    width = next - column;
    return Array.from({ length: width }, (_, k): Cell => [column + k, words]);
  });
}

/** Rows are named by their index. */
class FirstRows {
  readonly width: number;
  readonly #rows: readonly Row[];
  /** Words of the own cells of each row, by column. */
  readonly #words: readonly ReadonlyMap<number, string>[];
  /** First column of the table. */
  readonly #start: number;

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
    this.#words = rows.map(wordsByColumn);
    const counts = rows.map(({ isOneCell, cells }) => (isOneCell ? 1 : cells.length)).sort((a, b) => b - a);
    // A single row may be wider than the table.
    this.width = counts[1] ?? counts[0] ?? 0;
    this.#start = Math.min(...rows.filter(({ cells }) => cells.length > 1 || this.width === 1).map(startOf));
  }

  /** The first row that names the columns; one that names all of them if there is one. -1: none does. */
  firstNames(): number {
    let partial = -1;
    let isBelowRows = false;
    let isBelowFullRows = false;
    for (const [i, row] of this.#rows.entries()) {
      const named = this.#isOutside(row) ? 0 : row.cells.length + (this.#hasCorner(row) ? 1 : 0);
      if (named <= this.width / 2) continue;
      const isFull = named >= this.width;
      const isFirst = !isBelowRows || row.isAfterGap;
      if ((isFirst || (isFull && !isBelowFullRows && this.#contrasts(i) > 0)) && this.#holdsNames(i)) {
        if (isFull) return i;
        if (partial === -1) partial = i;
      }
      isBelowRows = true;
      isBelowFullRows ||= isFull;
    }
    return partial;
  }

  /** Whether a row groups or explains the names in the row below it. */
  areGroups(above: number, below: number): boolean {
    const [upper, lower] = [this.#rows[above], this.#rows[below]];
    if (upper === undefined || lower === undefined || lower.isAfterGap) return false;
    if (this.#isOutside(upper) || this.#isOutside(lower) || !this.#holdsNames(below)) return false;
    const hasCorner = this.#hasCorner(upper);
    if (upper.isOneCell && !hasCorner) return false;
    const contrast = this.#contrasts(below);
    if (contrast === lower.own.length && upper.cells.length >= contrast) return true;
    if (upper.cells.some(([, , span]) => span !== undefined)) return contrast > 0 || isBelowGroups(upper, lower);
    return (hasCorner && contrast > 0) || isToldApart(lower, groupsOver(lower, upper));
  }

  /** Whether the row is a line above the table, or between its rows. */
  #isOutside(row: Row): boolean {
    return this.width > 1 && (row.isLine || isBanner(row, this.width));
  }

  #hasCorner(row: Row): boolean {
    return startOf(row) > this.#start;
  }

  /** How many words of a row stand above numbers or dates. */
  #contrasts(index: number): number {
    return contrasts(this.#candidate(index));
  }

  /** Whether a row holds names, and rows follow it. */
  #holdsNames(index: number): boolean {
    const candidate = this.#candidate(index);
    if (this.width === 1 && candidate.names.length > 1) return false;
    return candidate.columns.some(({ length }) => length > 0) && areNames(candidate);
  }

  #candidate(index: number): HeaderCandidate {
    const row = this.#rows[index] as Row;
    const below = this.#words.filter((_, i) => {
      const other = this.#rows[i] as Row;
      return i > index && !this.#isOutside(other) && !isSame(row, other);
    });
    return {
      names: row.own.map(([, words]) => words.trim()),
      columns: row.own.map(([column]) => below.flatMap((words) => words.get(column) ?? [])),
      hasCorner: this.#hasCorner(row),
    };
  }
}

const startOf = ({ cells }: Row): number => cells[0]?.[0] ?? 0;

const wordsByColumn = ({ own }: Row): ReadonlyMap<number, string> =>
  new Map(own.map(([column, words]) => [column, words.trim()]));

/** Whether a row says the same as another one: names are repeated on each printed page. */
const isSame = (row: Row, { cells }: Row): boolean =>
  cells.length === row.cells.length &&
  cells.every(([column, words], i) => {
    const [otherColumn, otherWords] = row.cells[i] as Cell;
    return column === otherColumn && words === otherWords;
  });

/** Whether a row names nothing but columns of groups: those without a group have their names above. */
function isBelowGroups(upper: Row, lower: Row): boolean {
  const words = wordsByColumn(lower);
  let groupEnd = 0;
  return upper.cells.every(([column, , span]) => {
    if (span !== undefined && span.columns > 1) groupEnd = column + span.columns;
    return column < groupEnd || !words.has(column);
  });
}

/** Whether names that are repeated differ together with their groups. */
function isToldApart({ cells }: Row, groups: readonly Cell[]): boolean {
  const groupOf = new Map(groups.map(([column, words]) => [column, words]));
  const names = cells.map(([, words]) => words);
  const together = cells.map(([column, words]) => `${groupOf.get(column) ?? ''}\n${words}`);
  return new Set(names).size < names.length && new Set(together).size === names.length;
}
