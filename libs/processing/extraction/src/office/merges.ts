import { MAX_COLUMNS, type Span } from '../tables/cells.ts';
import { readXml } from '../xml.ts';
import { columnOf, rowOf } from './cell-reference.ts';

/** The end tag of the cells of a sheet, without its prefix. */
const END_OF_CELLS = 'sheetData>';

/** The merged cells of a sheet, by their first cell. */
export class Merges {
  readonly #spans = new Map<number, Span>();

  /** @param row from 1 */
  add(row: number, column: number, span: Span): void {
    this.#spans.set(placeOf(row, column), span);
  }

  /** @param row from 1 */
  get(row: number, column: number): Span | undefined {
    return this.#spans.get(placeOf(row, column));
  }
}

const placeOf = (row: number, column: number): number => row * MAX_COLUMNS + column;

/** Reads which cells of a sheet are merged: its XML says so behind the cells. @throws ExtractionError */
export async function mergesIn(xml: Uint8Array): Promise<Merges> {
  const merges = new Merges();
  const bytes = Buffer.from(xml.buffer, xml.byteOffset, xml.byteLength);
  const end = bytes.lastIndexOf(END_OF_CELLS);
  if (end === -1 || !bytes.includes('mergeCell', end)) return merges;
  await readXml(bytes.subarray(end + END_OF_CELLS.length), {
    open: (name, { ref = '' }) => {
      if (name !== 'mergeCell') return;
      const [first = '', last = ''] = ref.split(':');
      const [row, column] = placeIn(first);
      const [lastRow, lastColumn] = placeIn(last);
      if (row === null || column === null || lastRow === null || lastColumn === null) return;
      merges.add(row, column, { columns: lastColumn - column + 1, rows: lastRow - row + 1 });
    },
  });
  return merges;
}

const placeIn = (reference: string) => [rowOf(reference.replace(/^[A-Z]+/, '')), columnOf(reference)] as const;
