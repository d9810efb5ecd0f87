import type { CellObject, DenseWorkSheet, WorkBook } from '@e965/xlsx';
import { damagedFileError, encryptedFileError } from '../failures.ts';
import { namesStream } from '../office/containers.ts';
import { Merges } from '../office/merges.ts';
import { type NumberFormats, numberFormats } from '../office/number-formats.ts';
import { OFFICE_LIMITS } from '../office/ooxml.ts';
import { SectionedText } from '../sectioned-text.ts';
import { TableText } from '../tables/table-text.ts';
import type { FileExtractor } from './extractor.ts';

const KIND = 'an Excel workbook';
/** Values only: no formulas, no markup, no macros. */
const OPTIONS = {
  type: 'buffer',
  dense: true,
  cellFormula: false,
  cellHTML: false,
  cellText: false,
  cellNF: true,
} as const;

/** What a sheet shows for the result of a formula that failed, by its code. */
const ERRORS: Readonly<Record<number, string>> = {
  ...{ 0: '#NULL!', 7: '#DIV/0!', 15: '#VALUE!', 23: '#REF!', 29: '#NAME?', 36: '#NUM!', 42: '#N/A' },
};

/** Every sheet of a workbook of Excel 5 to 2003, hidden ones too. */
export const xls: FileExtractor = {
  kind: 'xls',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['xls', 'xlt'],
  // Browsers send the first one for CSV as well; there the extension counts.
  mediaTypes: ['application/vnd.ms-excel'],
  fileTypes: [],
  detects: (bytes) => namesStream(bytes, 'Workbook') || namesStream(bytes, 'Book'),
  async toText(bytes) {
    const workbook = await open(bytes);
    const formats = await numberFormats();
    const from1904 = workbook.Workbook?.WBProps?.date1904 ?? false;
    const text = new SectionedText();
    for (const name of workbook.SheetNames) {
      const sheet = workbook.Sheets[name] as DenseWorkSheet | undefined;
      const table = new TableText(text, { sheet: name });
      const merges = new Merges();
      for (const { s, e } of sheet?.['!merges'] ?? []) {
        merges.add(s.r + 1, s.c, { columns: e.c - s.c + 1, rows: e.r - s.r + 1 });
      }
      for (const [row, cells] of itemsOf(sheet?.['!data'])) {
        table.add(
          row + 1,
          itemsOf(cells).map(([column, cell]) => [
            column,
            cellText(cell, formats, from1904),
            merges.get(row + 1, column),
          ]),
        );
      }
      table.end();
    }
    const { Title: title = null, Author: author = null, CreatedDate: date = null } = workbook.Props ?? {};
    return { ...text.result, title: title || null, author: author || null, date };
  },
};

/** The items of an array with gaps, which can be long, and their places. */
const itemsOf = <T>(array: readonly T[] = []): (readonly [place: number, item: T])[] =>
  Object.entries(array).map(([place, item]) => [Number(place), item]);

async function open(bytes: Uint8Array): Promise<WorkBook> {
  const { read } = await import('@e965/xlsx');
  try {
    return read(bytes, OPTIONS);
  } catch (error) {
    throw /password/i.test((error as Error).message) ? encryptedFileError() : damagedFileError(KIND, error);
  }
}

function cellText(cell: CellObject | undefined | null, formats: NumberFormats, from1904: boolean): string {
  const code = String(cell?.z ?? 'General');
  switch (cell?.t) {
    case 's':
      return formats.shownWords(String(cell.v ?? ''), code);
    case 'b':
      return cell.v === true ? 'TRUE' : 'FALSE';
    case 'n':
      return formats.shownNumber(Number(cell.v), code, from1904);
    case 'e':
      return ERRORS[Number(cell.v)] ?? '';
    default:
      return '';
  }
}
