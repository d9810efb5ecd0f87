import type { Location } from '#platform/kernel';
import { recordLine } from '../records.ts';
import type { SectionedText } from '../sectioned-text.ts';
import type { Cell } from './cells.ts';
import { isBanner, type NamedColumns, namedColumns, ROWS_LOOKED_AT, type Row } from './column-names.ts';
import { MergedCells } from './merged-cells.ts';

/**
 * Writes the rows of one table as records with the names of their columns, under the name of their sheet. The cost follows
 * the cells, not the columns.
 */
export class TableText {
  readonly #text: SectionedText;
  readonly #location: Location;
  readonly #merged = new MergedCells();
  /** Rows that wait until the names of the columns are known. */
  #waiting: Row[] = [];
  #columns: NamedColumns | null = null;
  /** Numbers of the last row that was added, and of the last one that was written. */
  #lastAdded = 0;
  #lastWritten: number | null = null;
  #isNamed = false;

  /** @param location of the table */
  constructor(text: SectionedText, location: Location) {
    this.#text = text;
    this.#location = location;
  }

  /**
   * Call it in the order of the rows.
   * @param number of the row as the program that made the table counts, from 1
   * @param all cells of the row in the order of their columns; blank ones may be missing
   * @param isLine the row is a line above or below the table and has no columns
   */
  add(number: number, all: readonly Cell[], isLine = false): void {
    const filled = this.#merged.fill(
      number,
      all.filter(([, words]) => words.trim() !== ''),
    );
    // A row without a cell of its own is the rest of a merged cell.
    if (filled.own.length === 0) return;
    const row: Row = { ...filled, number, isLine, isAfterGap: number > this.#lastAdded + 1 };
    this.#lastAdded = number;
    if (this.#columns !== null) {
      this.#write(row, this.#columns);
      return;
    }
    this.#waiting.push(row);
    if (this.#waiting.length > ROWS_LOOKED_AT) this.#begin();
  }

  /** Call it after the last row. */
  end(): void {
    if (this.#columns === null) this.#begin();
  }

  /** Adds a text that stands beside the rows. Call it after the end. */
  addBeside(words: string): void {
    this.#text.section(this.#location);
    this.#writeName();
    this.#text.section(this.#location);
    this.#text.add(words);
  }

  #begin(): void {
    const rows = this.#waiting;
    const columns = namedColumns(rows);
    this.#waiting = [];
    this.#columns = columns;
    for (const row of rows.slice(0, columns.first)) {
      // A merged title is written once, also where it is narrower than the table.
      this.#write({ ...row, isLine: row.isLine || row.isOneCell }, { ...columns, names: new Map() });
    }
    for (const row of rows.slice(columns.end)) this.#write(row, columns);
  }

  #write(row: Row, { names, width }: NamedColumns): void {
    const { number, cells } = row;
    const location = { ...this.#location, row: number };
    if (this.#lastWritten === null) {
      this.#text.section(location);
      this.#writeName();
    }
    // Rows that follow each other are counted.
    if (this.#lastWritten === null || number !== this.#lastWritten + 1) this.#text.section(location);
    this.#lastWritten = number;
    const fields = isLineOf(row, width)
      ? cells.slice(0, 1).map(([, words]) => ['', words] as const)
      : cells.map(([column, words]) => [names.get(column) ?? '', words] as const);
    this.#text.add(recordLine(fields));
  }

  /** Writes the name of the sheet, once. */
  #writeName(): void {
    const { sheet } = this.#location;
    if (!this.#isNamed && sheet) this.#text.add(`# ${sheet.replace(/\s+/g, ' ')}`);
    this.#isNamed = true;
  }
}

/** Whether a row is a line above, between or below the records of a table. */
const isLineOf = (row: Row, width: number): boolean =>
  row.isLine || (width > 1 && (isBanner(row, width) || (row.cells.length === 1 && row.isAfterGap)));
