import { utils, write } from '@e965/xlsx';

/** Makes workbooks of Excel 97 to 2003, or before, for specs. @param sheets rows of cells, by name */
export function xlsOf(
  sheets: Readonly<Record<string, readonly unknown[][]>>,
  bookType: 'biff8' | 'biff5' = 'biff8',
): Buffer {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets)) {
    const sheet = utils.aoa_to_sheet(rows as unknown[][], { cellDates: true, dateNF: 'yyyy-mm-dd' });
    utils.book_append_sheet(book, sheet, name);
  }
  book.Props = { Title: 'The yearly report', Author: 'Ann Berg' };
  return write(book, { bookType, type: 'buffer' });
}
