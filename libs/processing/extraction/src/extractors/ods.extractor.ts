import { OFFICE_LIMITS, propertiesOf } from '../office/ooxml.ts';
import { isOpenDocument, openDocument } from '../office/opendocument.ts';
import { SectionedText } from '../sectioned-text.ts';
import { type Cell, countOf, MAX_COLUMNS, MAX_REPEATS, MISSING_RESULT, type Span, spanOf } from '../tables/cells.ts';
import { TableText } from '../tables/table-text.ts';
import { type Attributes, attribute, readXml } from '../xml.ts';
import type { FileExtractor } from './extractor.ts';

const MEDIA_TYPE = 'application/vnd.oasis.opendocument.spreadsheet';
/** Elements whose words are no part of a cell. */
const SKIPPED: ReadonlySet<string> = new Set(['annotation', 'tracked-changes', 'shapes', 'dde-source']);
/** Elements that are white space in a cell. */
const SPACES: ReadonlySet<string> = new Set(['s', 'tab', 'line-break']);
/** A cell, and one that a merged cell covers. */
const CELLS: ReadonlySet<string> = new Set(['table-cell', 'covered-table-cell']);

/** Every sheet of a workbook of LibreOffice and others. */
export const ods: FileExtractor = {
  kind: 'ods',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['ods', 'ots'],
  mediaTypes: [MEDIA_TYPE],
  fileTypes: [],
  detects: (bytes) => isOpenDocument(bytes, MEDIA_TYPE),
  async toText(bytes) {
    const { zip, content } = openDocument(bytes, 'an OpenDocument workbook');
    const text = new SectionedText();
    await readTables(content, text);
    return { ...(await propertiesOf(zip.read('meta.xml'))), ...text.result };
  },
};

async function readTables(xml: Uint8Array, text: SectionedText): Promise<void> {
  let table: TableText | null = null;
  let number = 0;
  let rows = 1;
  let cells: Cell[] = [];
  let column = 0;
  let columns = 1;
  /** Lines of the open cell. Null: none is open. */
  let lines: string[] | null = null;
  let cellAttributes: Attributes = {};
  let skipped = 0;
  const append = (words: string) => {
    if (lines !== null && lines.length > 0 && skipped === 0) lines.push((lines.pop() ?? '') + words);
  };
  await readXml(xml, {
    open: (name, attributes) => {
      if (SKIPPED.has(name)) skipped += 1;
      if (skipped > 0) return;
      if (name === 'table') {
        table = new TableText(text, { sheet: attribute(attributes, 'name') ?? '' });
        number = 0;
      } else if (name === 'table-row') {
        rows = countOf(attribute(attributes, 'number-rows-repeated'));
        cells = [];
        column = 0;
      } else if (CELLS.has(name)) {
        columns = countOf(attribute(attributes, 'number-columns-repeated'));
        cellAttributes = attributes;
        lines = [];
      } else if (name === 'p') lines?.push('');
      else if (SPACES.has(name)) append(' ');
    },
    text: append,
    close: (name) => {
      if (SKIPPED.has(name)) skipped -= 1;
      else if (skipped > 0) return;
      else if (CELLS.has(name) && lines !== null) {
        const words = lines.length === 0 ? storedValue(cellAttributes) : lines.join(' ').trim();
        const end = words === '' ? 0 : Math.min(columns, MAX_REPEATS, MAX_COLUMNS - column);
        const span = end === 0 ? undefined : spanIn(cellAttributes);
        for (let i = 0; i < end; i++) cells.push([column + i, words, span]);
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

const spanIn = (attributes: Attributes): Span | undefined =>
  spanOf(attribute(attributes, 'number-columns-spanned'), attribute(attributes, 'number-rows-spanned'));

const VALUES = ['value', 'string-value', 'date-value', 'time-value', 'boolean-value'] as const;

/** The value of a cell, which programs other than LibreOffice may write without its words. */
function storedValue(attributes: Attributes): string {
  const value = VALUES.map((name) => attribute(attributes, name)).find((one) => one !== undefined);
  if (value === undefined) return attribute(attributes, 'formula') === undefined ? '' : MISSING_RESULT;
  const isShare = attribute(attributes, 'value-type') === 'percentage';
  return isShare ? `${Number((Number(value) * 100).toPrecision(15))}%` : value;
}
