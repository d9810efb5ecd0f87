import { detectKind, extractDocument } from '../index.ts';
import { odsOf } from '../testing/office.ts';
import { xlsOf } from '../testing/xls.ts';

/** Workbooks of other programs and versions, found by their content under a wrong name. */

async function read(kind: string, body: Uint8Array) {
  const upload = { bytes: body, fileName: 'anything.txt', contentType: 'text/plain' };
  expect(await detectKind(upload)).toEqual({ kind, type: 'text' });
  const document = await extractDocument({ body, kind, fileName: null, documentDate: null });
  const { text, memories } = document;
  return { ...document, rows: memories.map(({ start, end, location }) => [text.slice(start, end), location]) };
}

const cell = (words: string, attributes = '') =>
  `<table:table-cell ${attributes}><text:p>${words}</text:p></table:table-cell>`;
const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`;
const sheet = (name: string, rows: string) => `<table:table table:name="${name}">${rows}</table:table>`;

test.each(['biff8', 'biff5'] as const)('XLS (%s): every sheet, with columns, sheet and row', async (version) => {
  const staff = [
    ['name', 'since', 'share', 'in'],
    ['Ann & Bo', new Date(Date.UTC(2024, 4, 1)), 0.30000000000000004, true],
  ];
  const prices = [['Price list'], [], ['item', 'euro'], ['Rope', 12.5]];
  const { rows } = await read('xls', xlsOf({ Staff: staff, Prices: prices }, version));
  expect(rows).toEqual([
    [
      '# Staff\n\n- name: Ann & Bo; since: 2024-05-01; share: 0.3; in: TRUE',
      { sheet: 'Staff', row: 2, heading: 'Staff' },
    ],
    ['# Prices\n\n- Price list', { sheet: 'Prices', row: 1, heading: 'Prices' }],
    ['- item: Rope; euro: 12.5', { sheet: 'Prices', row: 4, heading: 'Prices' }],
  ]);
});

test('XLS: title and author; one with a password is refused, and a damaged one', async () => {
  const file = xlsOf({
    A: [
      ['a', 'b'],
      [1, 2],
    ],
  });
  expect(await read('xls', file)).toMatchObject({ title: 'The yearly report', author: 'Ann Berg' });
  const locked = Buffer.from(file);
  // The record with the name of the writer becomes that of a password.
  const at = locked.indexOf(Buffer.from([0x5c, 0, 0x70, 0]));
  locked.writeUInt16LE(0x2f, at);
  locked.writeUInt16LE(0, at + 4);
  await expect(read('xls', locked)).rejects.toMatchObject({ code: 'encrypted' });
  await expect(read('xls', file.subarray(0, 2_000))).rejects.toMatchObject({ code: 'extraction_failed' });
});

test('ODS: every sheet, with columns, sheet and row; empty and repeated cells keep their places', async () => {
  const header = row(cell('name') + cell('city') + cell('since') + cell('share'));
  const ann = row(
    cell('Ann <text:span>&amp; Bo</text:span>') +
      '<table:table-cell/>' +
      cell('1. Mai 2024', 'office:value-type="date" office:date-value="2024-05-01"') +
      cell('12,5 %', 'office:value-type="percentage" office:value="0.125"') +
      '<table:table-cell table:number-columns-repeated="16380"/>',
  );
  const empty = row('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="3"');
  const twice = row(cell('Oslo', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="2"');
  const note = row(
    `<table:table-cell><office:annotation><text:p>secret</text:p></office:annotation><text:p>One</text:p><text:p>Two</text:p></table:table-cell>`,
  );
  const rest = row('<table:table-cell/>', 'table:number-rows-repeated="1048570"');
  const { rows, title, author } = await read(
    'ods',
    odsOf(sheet('Staff', header + ann + empty + twice + rest) + sheet('Notes', note)),
  );
  expect(rows).toEqual([
    ['# Staff\n\n- name: Ann & Bo; since: 1. Mai 2024; share: 12,5 %', { sheet: 'Staff', row: 2, heading: 'Staff' }],
    ['- name: Oslo; city: Oslo', { sheet: 'Staff', row: 6, heading: 'Staff' }],
    ['- name: Oslo; city: Oslo', { sheet: 'Staff', row: 7, heading: 'Staff' }],
    ['# Notes\n\n- One Two', { sheet: 'Notes', row: 1, heading: 'Notes' }],
  ]);
  expect({ title, author }).toEqual({ title: 'The yearly report', author: 'Ann Berg' });
});

test('ODS: one with a password is refused', async () => {
  const manifest = { 'META-INF/manifest.xml': '<m><manifest:encryption-data/></m>' };
  await expect(read('ods', odsOf(sheet('A', row(cell('a'))), manifest))).rejects.toMatchObject({ code: 'encrypted' });
});
