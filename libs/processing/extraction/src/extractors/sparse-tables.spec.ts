import { processorTime } from '../../../../platform/kernel/src/testing/processor-time.ts';
import { extractDocument } from '../index.ts';
import { odsOf, xlsxOf } from '../testing/office.ts';
import { xlsOf } from '../testing/xls.ts';

/** The cost of a table follows its cells, however far apart they are. */

const ROWS = 1_000;

const read = async (kind: string, body: Uint8Array) => {
  const document = { body, kind, fileName: null, documentDate: null };
  const { text, sections } = await extractDocument(document);
  return { text, sections, ms: await processorTime(() => extractDocument(document)) };
};
const lines = (text: string) => text.split('\n\n');

/** A workbook with one cell in each row, in this column. */
const excel = (column: string) =>
  xlsxOf({
    Sheet1: Array.from({ length: ROWS }, (_, i) => {
      const place = `${column}${i + 1}`;
      return `<row r="${i + 1}"><c r="${place}"><v>${i}</v></c></row>`;
    }).join(''),
  });
const openDocument = (before: number) =>
  odsOf(
    `<table:table table:name="A">${Array.from(
      { length: ROWS },
      (_, i) =>
        `<table:table-row><table:table-cell table:number-columns-repeated="${before}"/><table:table-cell><text:p>${i}</text:p></table:table-cell></table:table-row>`,
    ).join('')}</table:table>`,
  );
const oldExcel = (before: number) => xlsOf({ A: Array.from({ length: ROWS }, (_, i) => [...new Array(before), i]) });

test.each([
  ['xlsx', excel('A'), excel('XFD')],
  ['ods', openDocument(1), openDocument(16_383)],
  ['xls', oldExcel(0), oldExcel(255)],
])(
  '%s: cells in the last column are read as those in the first one are, in about the same time',
  async (kind, near, far) => {
    const [first, last] = [await read(kind, near), await read(kind, far)];
    expect(lines(last.text)).toHaveLength(1 + ROWS);
    expect(last.text).toBe(first.text);
    expect(last.sections).toEqual(first.sections);
    // A row that is filled up to the cell takes some hundred times as long.
    expect(last.ms).toBeLessThan(20 * first.ms + 200);
  },
);

test('a far cell has the name of its column', async () => {
  const cell = (place: string, words: string) => `<c r="${place}" t="inlineStr"><is><t>${words}</t></is></c>`;
  const rows = [
    `<row r="1">${cell('A1', 'name')}${cell('XFD1', 'city')}</row>`,
    `<row r="2">${cell('A2', 'Ann')}${cell('XFD2', 'Oslo')}</row>`,
    `<row r="3">${cell('XFD3', 'Bergen')}</row>`,
  ];
  const { text } = await read('xlsx', xlsxOf({ Sheet1: rows.join('') }));
  expect(lines(text)).toEqual(['# Sheet1', '- name: Ann; city: Oslo', '- city: Bergen']);
});

test('ODS: a cell or row that stands for very many is written a hundred times, and what follows keeps its place', async () => {
  const cell = (words: string, times = 1) =>
    `<table:table-cell table:number-columns-repeated="${times}"><text:p>${words}</text:p></table:table-cell>`;
  const row = (cells: string, times = 1) =>
    `<table:table-row table:number-rows-repeated="${times}">${cells}</table:table-row>`;
  const rows = row(cell('wide', 16_384)) + row(cell('tall'), 1_000_000) + row(cell('last'));
  const { text, sections } = await read('ods', odsOf(`<table:table table:name="A">${rows}</table:table>`));
  const [, ...written] = lines(text);
  expect(written[0]?.match(/wide/g)).toHaveLength(100);
  expect(written.slice(1, -1)).toEqual(new Array(100).fill('- tall'));
  expect(written.at(-1)).toBe('- last');
  expect(sections.at(-1)?.[1]).toEqual({ sheet: 'A', row: 1_000_002 });
});

test('XLSX: a merged cell as large as its sheet is written in a hundred columns of the rows that there are', async () => {
  const rows = Array.from({ length: ROWS }, (_, i) => `<row r="${i + 1}"><c r="A${i + 1}"><v>${i}</v></c></row>`);
  const first = '<row r="1"><c r="A1"><v>0</v></c><c r="B1" t="inlineStr"><is><t>all</t></is></c></row>';
  const cells = `${first}${rows.slice(1).join('')}<row r="1048576"><c r="C1048576"><v>7</v></c></row>`;
  const merges = '<mergeCells count="1"><mergeCell ref="B1:XFD1048576"/></mergeCells>';
  const sheet = `<worksheet><sheetData>${cells}</sheetData>${merges}</worksheet>`;
  const { text, ms } = await read('xlsx', xlsxOf({ Sheet1: '' }, { 'xl/worksheets/sheet1.xml': sheet }));
  const [, ...written] = lines(text);
  expect(written).toHaveLength(ROWS);
  expect(written.at(-1)).toBe(`- ${ROWS - 1}; ${new Array(100).fill('all').join('; ')}`);
  const { ms: plain } = await read('xlsx', excel('A'));
  expect(ms).toBeLessThan(100 * plain + 500);
});
