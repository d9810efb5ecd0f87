import { MAX_ROWS } from '../tables/cells.ts';

/** The number of a row, from 1. Null: no row of a sheet has it. */
export function rowOf(number: string | undefined): number | null {
  const row = Number(number);
  return Number.isInteger(row) && row >= 1 && row <= MAX_ROWS ? row : null;
}

/** The column of a reference, from 0: `AB12` is in column 27. */
export function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
