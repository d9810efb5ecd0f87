import { extractDocument } from '../index.ts';
import { docxOf, odtOf, pptxOf } from '../testing/office.ts';

/** Tables of pages, documents and slides: a row is a line, and merged cells give their words to all that they cover. */

const read = async (kind: string, body: string | Uint8Array) =>
  (await extractDocument({ body, kind, fileName: null, documentDate: null })).text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const table = (...rows: readonly string[]) => `<table>${rows.map((row) => `<tr>${row}</tr>`).join('')}</table>`;

describe('HTML', () => {
  test('cells across rows and columns, in the header and below', async () => {
    const page = `<table><thead><tr><th rowspan="2">Depot</th><th colspan="2">2023</th><th colspan="2">2024</th></tr>
      <tr><th>Planned</th><th>Actual</th><th>Planned</th><th>Actual</th></tr></thead>
      <tbody><tr><td rowspan="2">North</td><td>40</td><td>41</td><td>50</td><td rowspan="2">48</td></tr>
      <tr><td>7</td><td colspan="2">closed</td></tr>
      <tr><td>South</td><td>1</td><td>2</td><td>3</td><td rowspan="2">4</td></tr>
      <tr><td colspan="4">closed</td></tr></tbody></table>`;
    expect(await read('html', page)).toEqual([
      '| Depot | 2023 | 2023 | 2024 | 2024',
      '| Depot | Planned | Actual | Planned | Actual',
      '| North | 40 | 41 | 50 | 48',
      '| North | 7 | closed | closed | 48',
      '| South | 1 | 2 | 3 | 4',
      '| closed | closed | closed | closed | 4',
    ]);
  });

  test('a cell that is the whole row is written once, and one that names more columns than there are ends with them', async () => {
    const page = table(
      '<td colspan="2">Prices</td>',
      '<th>item</th><th>euro</th>',
      '<td colspan="9">Rope</td><td>12</td>',
    );
    expect((await read('html', page)).slice(0, 2)).toEqual(['| Prices', '| item | euro']);
    const wide = table('<th>item</th><th>euro</th>', '<td>Rope</td><td colspan="1000">free</td>');
    expect(await read('html', wide)).toEqual(['| item | euro', '| Rope | free']);
  });

  test('a row without cells has no words', async () => {
    expect(await read('html', table('<td rowspan="3">North</td><td>Alder</td>', '', '<td>Birch</td>'))).toEqual([
      '| North | Alder',
      '| North | Birch',
    ]);
  });

  test('a merged cell ends with the part of the table that it is in', async () => {
    const page =
      '<table><thead><tr><th rowspan="9">item</th><th>euro</th></tr></thead><tbody><tr><td>Rope</td><td>12</td></tr></tbody></table>';
    expect(await read('html', page)).toEqual(['| item | euro', '| Rope | 12']);
  });

  test('the lines of a cell are words of one line', async () => {
    const page = table(
      '<td><p>One</p><p>Two</p></td><td>three<br>four</td><td><ul><li>five</li><li>six</li></ul></td>',
    );
    expect(await read('html', page)).toEqual(['| One Two | three four | five six']);
  });

  test('a table in a cell is read by itself', async () => {
    const inner = table('<td rowspan="2">a</td><td>b</td>', '<td>c</td>');
    expect(await read('html', table(`<td rowspan="2">out ${inner}</td><td>x</td>`, '<td>y</td>'))).toEqual([
      '| out',
      '| a | b',
      '| a | c',
      '| x',
      '|  | y',
    ]);
  });

  test('the parts of a layout are not repeated', async () => {
    const aside = 'A long text at the side. '.repeat(40);
    const lines = await read('html', table(`<td rowspan="2">${aside}</td><td>x</td>`, '<td>y</td>'));
    expect(lines.join('\n').split('A long text').length).toBe(41);
    expect(lines.at(-1)).toBe('|  | y');
  });

  test('what is repeated is at most as long as the page', async () => {
    const rows = Array.from(
      { length: 2_000 },
      () => `<td colspan="100" rowspan="65000">${'word '.repeat(40)}</td><td>x</td>`,
    );
    const page = table('<td>x</td>'.repeat(150), ...rows);
    expect((await read('html', page)).join('').length).toBeLessThan(3 * page.length);
  });
});

test('DOCX: cells across columns and rows; paragraphs of a cell are words of one line', async () => {
  const cell = (words: string, properties = '') =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${words
      .split('\n')
      .map((one) => `<w:p><w:r><w:t>${one}</w:t></w:r></w:p>`)
      .join('')}</w:tc>`;
  const begin = '<w:vMerge w:val="restart"/>';
  const rows = [
    cell('Region') + cell('Depot') + cell('Stock'),
    cell('North', begin) + cell('Alder\nBeech') + cell('40'),
    cell('', '<w:vMerge/>') + cell('Birch') + cell('7'),
    cell('South') + cell('closed', '<w:gridSpan w:val="2"/>'),
    cell('All figures are estimates', '<w:gridSpan w:val="3"/>'),
  ];
  const body = `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`;
  expect(await read('docx', docxOf(body))).toEqual([
    '| Region | Depot | Stock',
    '| North | Alder Beech | 40',
    '| North | Birch | 7',
    '| South | closed | closed',
    '| All figures are estimates',
  ]);
});

test('PPTX: cells across columns and rows', async () => {
  const cell = (words: string, attributes = '') =>
    `<a:tc ${attributes}><a:txBody><a:p><a:r><a:t>${words}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const rows = [
    cell('Stock', 'gridSpan="3"') + cell('', 'hMerge="1"') + cell('', 'hMerge="1"'),
    cell('North', 'rowSpan="2"') + cell('Alder') + cell('40'),
    cell('', 'vMerge="1"') + cell('closed', 'gridSpan="2"') + cell('', 'hMerge="true"'),
  ];
  const slide = `<a:tbl>${rows.map((row) => `<a:tr>${row}</a:tr>`).join('')}</a:tbl>`;
  expect(await read('pptx', pptxOf([slide]))).toEqual(['Stock', 'North | Alder | 40', 'North | closed | closed']);
});

test('ODT: cells across columns and rows', async () => {
  const cell = (words: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${words}</text:p></table:table-cell>`;
  const covered = '<table:covered-table-cell/>';
  const rows = [
    cell('Stock', 'table:number-columns-spanned="3"') + covered + covered,
    cell('North', 'table:number-rows-spanned="2"') + cell('Alder') + cell('40'),
    covered + cell('closed', 'table:number-columns-spanned="2"') + covered,
  ];
  const body = `<table:table>${rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('')}</table:table>`;
  expect(await read('odt', odtOf(body))).toEqual(['Stock', 'North | Alder | 40', 'North | closed | closed']);
});
