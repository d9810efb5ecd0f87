import { OFFICE_LIMITS, propertiesOf } from '../office/ooxml.ts';
import { openDocument } from '../office/opendocument.ts';
import { SectionedText } from '../sectioned-text.ts';
import { type Cell, MAX_COLUMNS, MAX_ROWS, TableText } from '../table-text.ts';
import { attribute, readXml } from '../xml.ts';
import { namesFile } from '../zip.ts';
import type { FileExtractor } from './extractor.ts';

const MEDIA_TYPE = 'application/vnd.oasis.opendocument.spreadsheet';
/** Times that a repeated cell or row is written: the cost follows the cells in the file, and further ones say the same. */
const MAX_REPEATS = 100;
/** Elements whose words are no part of a cell. */
const SKIPPED: ReadonlySet<string> = new Set(['annotation', 'tracked-changes', 'shapes', 'dde-source']);

/** Every sheet of a workbook of LibreOffice and others. */
export const ods: FileExtractor = {
  kind: 'ods',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['ods', 'ots'],
  mediaTypes: [MEDIA_TYPE],
  fileTypes: [],
  // The first file of the container, which is not packed, holds the media type.
  detects: (bytes) => namesFile(bytes.subarray(0, 200), MEDIA_TYPE),
  async toText(bytes) {
    const { zip, content } = openDocument(bytes, 'an OpenDocument workbook');
    const text = new SectionedText();
    await readTables(content, text);
    return { ...(await propertiesOf(zip.read('meta.xml'))), ...text.result };
  },
};

/** A cell or a row can stand for many that follow each other. */
const repeats = (attributes: Readonly<Record<string, string>>, name: string): number =>
  Math.min(Math.max(1, Math.trunc(Number(attribute(attributes, name))) || 1), MAX_ROWS);

async function readTables(xml: Uint8Array, text: SectionedText): Promise<void> {
  let table: TableText | null = null;
  let number = 0;
  let rows = 1;
  let cells: Cell[] = [];
  let column = 0;
  let columns = 1;
  /** Lines of the open cell. Null: none is open. */
  let lines: string[] | null = null;
  let date: string | undefined;
  let skipped = 0;
  await readXml(xml, {
    open: (name, attributes) => {
      if (SKIPPED.has(name)) skipped += 1;
      if (skipped > 0) return;
      if (name === 'table') {
        table = new TableText(text, { sheet: attribute(attributes, 'name') ?? '' });
        number = 0;
      } else if (name === 'table-row') {
        rows = repeats(attributes, 'number-rows-repeated');
        cells = [];
        column = 0;
      } else if (name === 'table-cell' || name === 'covered-table-cell') {
        columns = repeats(attributes, 'number-columns-repeated');
        lines = [];
        date = dateOf(attributes);
      } else if (name === 'p') lines?.push('');
    },
    text: (words) => {
      if (lines !== null && lines.length > 0 && skipped === 0) lines.push((lines.pop() ?? '') + words);
    },
    close: (name) => {
      if (SKIPPED.has(name)) skipped -= 1;
      else if (skipped > 0) return;
      else if ((name === 'table-cell' || name === 'covered-table-cell') && lines !== null) {
        const words = date ?? lines.join(' ').trim();
        const end = Math.min(columns, MAX_REPEATS, MAX_COLUMNS - column);
        for (let i = 0; words !== '' && i < end; i++) cells.push([column + i, words]);
        column += columns;
        lines = null;
      } else if (name === 'table-row') {
        const end = cells.length === 0 ? 0 : Math.min(rows, MAX_REPEATS);
        for (let i = 1; i <= end; i++) table?.add(number + i, cells);
        number += rows;
      } else if (name === 'table') {
        table?.end();
        table = null;
      }
    },
  });
}

/** A date is shown in the language of the file; its value is not. */
function dateOf(attributes: Readonly<Record<string, string>>): string | undefined {
  const [date, time] = (attribute(attributes, 'date-value') ?? '').split('T', 2);
  if (date === undefined || date === '') return undefined;
  return time === undefined || /^00:00(?::00)?/.test(time) ? date : `${date} ${time.slice(0, 5)}`;
}
