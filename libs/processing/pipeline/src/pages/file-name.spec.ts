import { fileNameOf } from './file-name.ts';

const URL_SENT = 'https://site.test/files/Tide%20table.pdf?version=2';

test.each([
  [null, 'Tide table.pdf'],
  ['inline', 'Tide table.pdf'],
  ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
  ['attachment; filename=plain.csv; size=3', 'plain.csv'],
  ['attachment; filename="fallback.csv"; filename*=UTF-8\'\'Liegepl%C3%A4tze.csv', 'Liegeplätze.csv'],
  ["attachment; filename*=iso-8859-1'de'Pl%E4tze.csv", 'Plätze.csv'],
  ["attachment; filename*=none''x.csv; filename=y.csv", 'y.csv'],
  [`attachment; filename="${Buffer.from('Plätze.csv').toString('latin1')}"`, 'Plätze.csv'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ['attachment; filename="C:\\\\temp\\\\x.pdf"', 'x.pdf'],
  ['attachment; filename="a\u202efdp.exe"', 'afdp.exe'],
  ['attachment; filename=""', 'Tide table.pdf'],
])('%j names the file %s', (header, expected) => {
  const asHeader = header === null ? null : Buffer.from(header).toString('latin1');
  expect(fileNameOf(header?.includes('Ã') ? header : asHeader, URL_SENT)).toBe(expected);
});

test.each([
  ['https://site.test/', null],
  ['https://site.test/download', null],
  ['https://site.test/.htaccess', null],
  ['https://site.test/a/%ff.pdf', '%ff.pdf'],
  ['https://site.test/v1.2/report.docx#part', 'report.docx'],
])('%s: the name is %s', (url, expected) => {
  expect(fileNameOf(null, url)).toBe(expected);
});

test('a name is not longer than 200 characters', () => {
  expect(fileNameOf(`attachment; filename=${'a'.repeat(5_000)}.pdf`, URL_SENT)).toHaveLength(200);
});
