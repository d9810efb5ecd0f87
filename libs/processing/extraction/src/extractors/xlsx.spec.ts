import { detectKind, extractDocument } from '../index.ts';
import { sheetRows, xlsxOf, zipped } from '../testing/office.ts';

async function read(body: Uint8Array) {
  const upload = { bytes: body, fileName: 'anything.txt', contentType: 'text/plain' };
  expect(await detectKind(upload)).toEqual({ kind: 'xlsx', type: 'text' });
  return extractDocument({ body, kind: 'xlsx', fileName: null, documentDate: null });
}

test('every sheet is read: a record for each row, with the names of the columns, the sheet and the row', async () => {
  const staff = [
    ['name', 'city'],
    ['Ann & Bo', 'Oslo'],
    ['Eve', 'Bergen'],
  ];
  const prices = [['Price list 2024'], null, ['item', 'euro'], ['Rope', 12.5], ['Bolt', 0.30000000000000004]];
  const { text, memories, title, author, date } = await read(
    xlsxOf({ Staff: sheetRows(staff), Prices: sheetRows(prices) }),
  );
  expect(memories.map(({ start, end, location }) => [text.slice(start, end), location])).toEqual([
    ['# Staff\n\n- name: Ann & Bo; city: Oslo', { sheet: 'Staff', row: 2, heading: 'Staff' }],
    ['- name: Eve; city: Bergen', { sheet: 'Staff', row: 3, heading: 'Staff' }],
    ['# Prices\n\n- Price list 2024', { sheet: 'Prices', row: 1, heading: 'Prices' }],
    ['- item: Rope; euro: 12.5', { sheet: 'Prices', row: 4, heading: 'Prices' }],
    ['- item: Bolt; euro: 0.3', { sheet: 'Prices', row: 5, heading: 'Prices' }],
  ]);
  expect({ title, author, date }).toEqual({
    ...{ title: 'The yearly report', author: 'Ann Berg', date: '2024-05-01T10:00:00.000Z' },
  });
});

test('cells are written as a workbook shows them', async () => {
  const cells = [
    '<c r="A2" s="1"><v>45413</v></c><c r="B2" s="2"><v>45413.5</v></c><c r="C2" s="3"><v>0.125</v></c>',
    '<c r="D2" t="b"><v>1</v></c><c r="E2" t="s"><v>0</v></c><c r="F2" t="str"><f>1</f><v>seven</v></c>',
    '<c r="G2" t="e"><v>#N/A</v></c><c r="H2"><v>-7</v></c>',
  ];
  const header = sheetRows([['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']]);
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts><cellXfs>' +
    '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="10"/></cellXfs></styleSheet>';
  const strings = '<sst><si><r><t>ro</t></r><r><t>pe</t></r><rPh><t>no</t></rPh></si></sst>';
  const parts = { 'xl/styles.xml': styles, 'xl/sharedStrings.xml': strings };
  const { text } = await read(xlsxOf({ Sheet1: `${header}<row r="2">${cells.join('')}</row>` }, parts));
  expect(text).toBe(
    '# Sheet1\n\n- a: 2024-05-01; b: 2024-05-01 12:00; c: 12.50%; d: TRUE; e: rope; f: seven; g: #N/A; h: -7',
  );
});

const NO_ROW_NUMBERS = ['1e999', '1.5', '-3', '1048577', 'x'];

test.each(NO_ROW_NUMBERS)('a row with the number %s follows the one before it', async (number) => {
  const row = (named: string, words: string) => `<row r="${named}"><c t="inlineStr"><is><t>${words}</t></is></c></row>`;
  const rows = [row('1', 'name'), row(number, 'Ann'), row('5', 'Bo')];
  const { text, memories } = await read(xlsxOf({ Sheet1: rows.join('') }));
  expect(memories.map(({ start, end, location }) => [text.slice(start, end), location])).toEqual([
    ['# Sheet1\n\n- name: Ann', { sheet: 'Sheet1', row: 2, heading: 'Sheet1' }],
    ['- name: Bo', { sheet: 'Sheet1', row: 5, heading: 'Sheet1' }],
  ]);
});

test('a workbook without its main part is damaged', async () => {
  const body = zipped({ 'xl/workbook.xml2': '' });
  const source = { body, kind: 'xlsx', fileName: null, documentDate: null };
  await expect(extractDocument(source)).rejects.toMatchObject({ code: 'extraction_failed' });
});
