import type { ReadableText } from '../extractors/extractor.ts';
import { SectionedText } from '../sectioned-text.ts';
import { csvRows } from './csv-rows.ts';
import { csvForm } from './csv-separator.ts';
import { TableText } from './table-text.ts';

/** A first line with which spreadsheets say the separator. */
const SEPARATOR_LINE = /^"?sep=(.)"?[ \t]{0,9}(?:\n|$)/i;
/** Longest text of a table, which repeats the names of its columns. UTF-16 code units; strings have about 536 million at most. */
const MAX_TEXT = 500_000_000;

/**
 * Writes each row as a line of `column: value` pairs with a blank line between rows; lines above the table, and rows without
 * names, as their values.
 * @param text with `\n` line ends
 * @throws ExtractionError if the text becomes too long
 */
export function csvToText(text: string): Pick<ReadableText, 'text' | 'sections'> {
  const [line = '', declared] = SEPARATOR_LINE.exec(text) ?? [];
  const rows = text.slice(line.length);
  const { separator, width } = csvForm(rows, declared === undefined ? undefined : [declared]);
  const written = new SectionedText(MAX_TEXT);
  const table = new TableText(written, {});
  for (const { number, cells } of csvRows(rows, separator, width)) {
    table.add(
      number,
      cells.map((words, column) => [column, words]),
      cells.length === 1 && width > 1,
    );
  }
  table.end();
  return written.result;
}
