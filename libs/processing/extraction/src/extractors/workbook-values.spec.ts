import { utils, write } from '@e965/xlsx';
import { extractDocument } from '../index.ts';
import { odsOf, sheetRows, xlsxOf } from '../testing/office.ts';

/** Cells of workbooks show what a person sees. */

const read = async (kind: string, body: Uint8Array) =>
  (await extractDocument({ body, kind, fileName: null, documentDate: null })).text.split('\n\n');

const escaped = (code: string): string => code.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** A sheet with a value in each of these formats, below the names `Name` and `Value`. */
function valuesIn(formats: readonly (readonly [code: string | number, value: number | string])[], from1904 = false) {
  const custom = formats.map(([code], i) =>
    typeof code === 'string' ? `<numFmt numFmtId="${164 + i}" formatCode="${escaped(code)}"/>` : '',
  );
  const styles = formats.map(([code], i) => `<xf numFmtId="${typeof code === 'string' ? 164 + i : code}"/>`);
  const rows = formats.map(([, value], i) => {
    const cell = typeof value === 'number' ? `><v>${value}</v>` : ` t="inlineStr"><is><t>${value}</t></is>`;
    return `<row r="${i + 2}"><c r="A${i + 2}" t="inlineStr"><is><t>n${i}</t></is></c><c r="B${i + 2}" s="${i + 1}"${cell}</c></row>`;
  });
  return xlsxOf(
    { Data: sheetRows([['Name', 'Value']]) + rows.join('') },
    {
      'xl/styles.xml': `<styleSheet><numFmts>${custom.join('')}</numFmts><cellXfs><xf/>${styles.join('')}</cellXfs></styleSheet>`,
      ...(from1904 && {
        'xl/workbook.xml':
          '<workbook><workbookPr date1904="1"/><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
      }),
    },
  );
}

async function shown(code: string | number, value: number | string, from1904 = false): Promise<string | undefined> {
  const [, record] = await read('xlsx', valuesIn([[code, value]], from1904));
  return record?.replace(/^- Name: n0(?:; Value: )?/, '');
}

test.each<[string | number, number | string, string]>([
  ['00000', 1234, '01234'],
  ['"INV-"0000', 42, 'INV-0042'],
  ['[h]:mm', 26.5 / 24, '26:30'],
  ['[mm]:ss', 1.5 / 24, '90:00'],
  ['hh:mm', 0.375, '09:00'],
  [9, 0.125, '13%'],
  ['0.0 %', 0.125, '12.5 %'],
  ['"€" #,##0.00', 1234.5, '€ 1,234.50'],
  ['#,##0 "kg"', 1200, '1,200 kg'],
  ['# ?/?', 2.25, '2 1/4'],
  ['0.00E+00', 12345, '1.23E+04'],
  ['#,##0;(#,##0)', -5, '(5)'],
  ['0;-0;"none"', 0, 'none'],
  ['"Mr "@', 'Berg', 'Mr Berg'],
  ['[>=1000]0.0,"k";0', 2500, '2.5k'],
  ['dd.mm.yyyy', 45356, '05.03.2024'],
  ['[$-407]d. mmmm yyyy', 45356, '5. März 2024'],
  ['yyyy\\-mm\\-dd hh:mm', 45356.5, '2024-03-05 12:00'],
  [14, 45356, '2024-03-05'],
  [22, 45356.75, '2024-03-05 18:00'],
  ['_-* #,##0.00\\ "€"_-', 12.5, '12.50 €'],
  [49, 35315550123, '35315550123'],
  [0, 1234567890123456, '1234567890123456'],
  [0, 0.1 + 0.2, '0.3'],
  ['an [impossible format', 5, '5'],
])('XLSX: the format %s shows %s as %s', async (code, value, words) => {
  expect(await shown(code, value)).toBe(words);
});

test('XLSX: characters that are written by their numbers', async () => {
  expect(await shown(0, 'one_x000D__x000A_two_x005F_x000D_')).toBe('one two_x000D_');
});

test('XLSX: a value that its format hides is left out', async () => {
  const records = await read(
    'xlsx',
    valuesIn([
      ['0', 1],
      [';;;', 5],
    ]),
  );
  expect(records).toEqual(['# Data', '- Name: n0; Value: 1', '- Name: n1']);
});

test('XLSX: dates that are counted from 1904; durations are not', async () => {
  expect(await shown('yyyy-mm-dd', 43894, true)).toBe('2024-03-05');
  expect(await shown('[h]:mm', 26.5 / 24, true)).toBe('26:30');
});

test('XLSX: a formula without a stored result is named as missing, one with an empty text is not', async () => {
  const cells = [
    '<c r="A2" t="inlineStr"><is><t>Rope</t></is></c><c r="B2"><f>1+1</f><v></v></c><c r="C2"><f>A2</f></c>',
    '<c r="D2" t="str"><f>""</f><v></v></c><c r="E2"><f>1+1</f><v>2</v></c>',
  ];
  const rows = `${sheetRows([['item', 'sum', 'copy', 'note', 'two']])}<row r="2">${cells.join('')}</row>`;
  expect(await read('xlsx', xlsxOf({ Data: rows }))).toEqual([
    '# Data',
    '- item: Rope; sum: (result of the formula is missing); copy: (result of the formula is missing); two: 2',
  ]);
});

test('XLS: formats, merged cells, errors', async () => {
  const sheet = utils.aoa_to_sheet([
    ['Region', 'Depot', 'Code', 'Time'],
    ['North', 'Alder', 17, 26.5 / 24],
    [null, 'Birch', 18, 0.5],
  ]);
  sheet['!merges'] = [{ s: { r: 1, c: 0 }, e: { r: 2, c: 0 } }];
  for (const cell of ['C2', 'C3']) sheet[cell].z = '0000';
  for (const cell of ['D2', 'D3']) sheet[cell].z = '[h]:mm';
  sheet.E1 = { t: 's', v: 'Share' };
  sheet.E2 = { t: 'e', v: 42 };
  sheet['!ref'] = 'A1:E3';
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'Stock');
  expect(await read('xls', write(book, { bookType: 'biff8', type: 'buffer' }))).toEqual([
    '# Stock',
    '- Region: North; Depot: Alder; Code: 0017; Time: 26:30; Share: #N/A',
    '- Region: North; Depot: Birch; Code: 0018; Time: 12:00',
  ]);
});

describe('ODS', () => {
  const table = (rows: readonly string[]) =>
    `<table:table table:name="Stock">${rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('')}</table:table>`;
  const cell = (words: string, attributes = '') =>
    `<table:table-cell ${attributes}>${words === '' ? '' : `<text:p>${words}</text:p>`}</table:table-cell>`;

  test('words as they are stored, and values of cells without words', async () => {
    const rows = [
      ['Name', 'Day', 'Share', 'Count', 'Length', 'Sum'].map((name) => cell(name)).join(''),
      cell('Ann<text:s/>Berg') +
        cell('05.03.2024', 'office:value-type="date" office:date-value="2024-03-05"') +
        cell('', 'office:value-type="percentage" office:value="0.125"') +
        cell('', 'office:value-type="float" office:value="7"') +
        cell('26:30', 'office:value-type="time" office:time-value="PT26H30M00S"') +
        cell('', 'table:formula="of:=1+1"'),
    ];
    expect(await read('ods', odsOf(table(rows)))).toEqual([
      '# Stock',
      '- Name: Ann Berg; Day: 05.03.2024; Share: 12.5%; Count: 7; Length: 26:30; Sum: (result of the formula is missing)',
    ]);
  });

  test('merged cells give their words to all that they cover, in the header and below', async () => {
    const covered = '<table:covered-table-cell/>';
    const hidden = '<table:covered-table-cell><text:p>hidden</text:p></table:covered-table-cell>';
    const rows = [
      cell('Depot', 'table:number-rows-spanned="2"') + cell('2023', 'table:number-columns-spanned="2"') + covered,
      covered + cell('Planned') + cell('Actual'),
      cell('Alder', 'table:number-rows-spanned="2"') + cell('40') + cell('41'),
      hidden + cell('closed', 'table:number-columns-spanned="2"') + hidden,
      cell('All figures are estimates.', 'table:number-columns-spanned="3"') + covered + covered,
    ];
    expect(await read('ods', odsOf(table(rows)))).toEqual([
      '# Stock',
      '- Depot: Alder; 2023 Planned: 40; 2023 Actual: 41',
      '- Depot: Alder; 2023 Planned: closed; 2023 Actual: closed',
      '- All figures are estimates.',
    ]);
  });
});
