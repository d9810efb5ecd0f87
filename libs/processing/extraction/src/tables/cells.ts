/** Columns and rows of a sheet; more do not exist. */
export const MAX_COLUMNS = 16_384;
export const MAX_ROWS = 1_048_576;
/** Columns or rows in which the words of one cell are written at most. */
export const MAX_REPEATS = 100;

/** How many columns and rows a merged cell covers, itself included. */
export interface Span {
  readonly columns: number;
  readonly rows: number;
}

/** A cell that holds something. Columns count from 0. `span`: what it covers to its right and below. */
export type Cell = readonly [column: number, words: string, span?: Span];

/** Written where a file has a formula without its result, which spreadsheets compute when they open the file. */
export const MISSING_RESULT = '(result of the formula is missing)';

/** The span in the attributes of a cell. */
export const spanOf = (columns: string | undefined, rows: string | undefined): Span | undefined => {
  const span = { columns: countOf(columns), rows: countOf(rows) };
  return span.columns > 1 || span.rows > 1 ? span : undefined;
};

/** Returns how many columns or rows an attribute says; 1 if it says no number. */
export const countOf = (value: string | undefined): number =>
  Math.min(Math.max(1, Math.trunc(Number(value)) || 1), MAX_ROWS);
