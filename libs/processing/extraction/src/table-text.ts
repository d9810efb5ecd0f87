import type { Location } from '#platform/kernel';
import { recordLine } from './records.ts';
import type { SectionedText } from './sectioned-text.ts';

/** Columns and rows of a sheet; more do not exist. */
export const MAX_COLUMNS = 16_384;
export const MAX_ROWS = 1_048_576;

/** A cell of a row that holds something. Columns count from 0. */
export type Cell = readonly [column: number, words: string];

const MAX_HEADER_CELL = 60;
const NUMBER = /^[-+]?[\d.,\s]*\d[\d.,\s%€$£-]*$/;
/** Rows that are looked at for the names of the columns: titles and notes may precede them. */
const ROWS_BEFORE_DATA = 10;

interface Row {
  /** As the program that made the table numbers it, from 1. */
  readonly number: number;
  /** None is blank. */
  readonly cells: readonly Cell[];
}

/** Writes the rows of one table as records with the names of their columns. The cost follows the cells, not the columns. */
export class TableText {
  readonly #text: SectionedText;
  readonly #location: Location;
  #waiting: Row[] | null = [];
  #names: ReadonlyMap<number, string> = new Map();
  #lastRow: number | null = null;

  /** @param location of the table */
  constructor(text: SectionedText, location: Location) {
    this.#text = text;
    this.#location = location;
  }

  /**
   * Call it in the order of the rows.
   * @param all cells of the row in the order of their columns; blank ones may be missing
   */
  add(number: number, all: readonly Cell[]): void {
    const cells = all.filter(([, words]) => words.trim() !== '');
    if (cells.length === 0) return;
    const row = { number, cells };
    if (this.#waiting === null) {
      this.#write(row);
      return;
    }
    this.#waiting.push(row);
    if (this.#waiting.length > ROWS_BEFORE_DATA) this.#begin(this.#waiting);
  }

  /** Call it after the last row. */
  end(): void {
    if (this.#waiting !== null) this.#begin(this.#waiting);
  }

  #begin(rows: readonly Row[]): void {
    this.#waiting = null;
    const width = Math.max(...rows.map(({ cells }) => cells.length), 0);
    const header = rows.findIndex(
      ({ cells }, i) => i < rows.length - 1 && cells.length === width && width > 1 && isHeader(cells),
    );
    const columns = header === -1 && width === 1 && rows.length > 1 && isHeader(rows[0]?.cells ?? []) ? 0 : header;
    for (const [i, row] of rows.entries()) {
      if (i === columns)
        this.#names = new Map(row.cells.map(([column, words]) => [column, words.replace(/\s+/g, ' ').trim()]));
      else this.#write(row);
    }
  }

  #write({ number, cells }: Row): void {
    const line = recordLine(cells.map(([column, words]) => [this.#names.get(column) ?? '', words]));
    if (line === '') return;
    // Rows that follow each other are counted.
    if (this.#lastRow === null || number !== this.#lastRow + 1) {
      this.#text.section({ ...this.#location, row: number });
    }
    this.#lastRow = number;
    this.#text.add(line);
  }
}

/** The names of columns are short, distinct, and no numbers. */
function isHeader(cells: readonly Cell[]): boolean {
  const names = cells.map(([, words]) => words.trim());
  return (
    names.length > 0 &&
    new Set(names).size === names.length &&
    names.every((name) => name.length <= MAX_HEADER_CELL && !NUMBER.test(name))
  );
}
