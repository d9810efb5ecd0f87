import { readFixture } from '../testing/uploads.ts';

/** Tables that other programs wrote, and inputs of bug reports (`test/fixtures/tables`). */

async function read(fileName: string): Promise<readonly string[]> {
  const { text } = await readFixture('tables', fileName);
  return text.split('\n').flatMap((line) => line.replace(/ +/g, ' ').trim() || []);
}

const GROUPS = [
  '- Depot: Alder; 2023 Planned: 40; 2023 Actual: 41; 2024 Planned: 50; 2024 Actual: 48',
  '- Depot: Birch; 2023 Planned: 10; 2023 Actual: 9; 2024 Planned: 12; 2024 Actual: 14',
];
/** Of a data frame, whose rows have no name. */
const FRAME = GROUPS.map((line) => line.replace('Depot: ', ''));
const REGIONS = [
  '- Region: North; Depot: Alder; Stock: 40',
  '- Region: North; Depot: Birch; Stock: 7',
  '- Region: South; Depot: Cedar; Stock: 12',
];
const HTML_REGIONS = ['| North | Alder | 40', '| North | Birch | 7', '| South | Cedar | 12'];
const MERGED = ['Region | Depot | Stock', 'North | Alder | 40', 'North | Birch | 7', 'South | closed | closed'];
const FORMATS = [
  '# Formats',
  '- Postcode: 01234; Share: 12.50%; Price: € 1,234.50; Duration: 26:30; Day: 05.03.2024; Moment: 5 March 2024 18:30; ' +
    'Weight: 1,200 kg; Balance: (5); Length: 2 1/4; Open: TRUE; Failed: #DIV/0!',
];
const OPENPYXL_GROUPS = [
  ...['# Stock', '- Stock of the north depots', ...GROUPS],
  ...['# Totals', '- item: Rope; count: 2; price: 12.5; sum: (result of the formula is missing)'],
  ...[
    '# Notes',
    '- Notes on the depots',
    '- Depot: Alder; Note: dry; Rooms: 3',
    '- Depot: Birch; Note: damp; Rooms: 2',
  ],
];

test.each<[string, readonly string[]]>([
  ['csv-index-column.csv', ['- 0; name: Orla; city: Galway', '- 1; name: Bram; city: Ghent']],
  [
    'csv-year-columns.csv',
    ['- country: Norland; 2021: 410; 2022: 433; 2023: 478', '- country: Sudria; 2021: 120; 2022: 118; 2023: 131'],
  ],
  [
    'csv-duplicate-names.csv',
    ['- name: Orla; phone: 5550101; phone: 5550102', '- name: Bram; phone: 5550103; phone: 5550104'],
  ],
  ['csv-trailing-comma.csv', ['- name: Orla; city: Galway', '- name: Bram; city: Ghent']],
  ['n-csv-tsv-blank-corner.tsv', ['- lanterns; Alder: 40; Birch: 7', '- kettles; Alder: 3; Birch: 5']],
  ['csv-sep-line.csv', ['- Article: Lantern; Price: 12,50; Stock: 40', '- Article: Kettle; Price: 24,90; Stock: 7']],
  [
    'csv-commas-in-header.csv',
    ['- Artikel: Lampe; Preis (EUR, netto, je Stück): 12,50', '- Artikel: Kessel; Preis (EUR, netto, je Stück): 24,90'],
  ],
  ['n-csv-comma-in-header-tab.csv', ['- name, title: Orla; city, country: Galway; street, no: Quay 4']],
  [
    'n-csv-semicolon-decimal.csv',
    ['- Artikel: Lampe; Preis: 12,50; Anzahl: 40', '- Artikel: Kessel; Preis: 24,90; Anzahl: 7'],
  ],
  ['n-csv-tab-with-csv-name.csv', ['- name: Orla, Ms; city: Galway', '- name: Bram, Mr; city: Ghent']],
  [
    'csv-title-rows.csv',
    [
      ...['- Stock report of the north depot', '- Printed on 2024-03-05'],
      ...['- article: Lantern; shelf: B4; count: 40', '- article: Kettle; shelf: C1; count: 7'],
    ],
  ],
  [
    'csv-stray-quote.csv',
    [
      '- part: Pipe; size: 5" wide; price: 3.20',
      '- part: Bolt; size: 2, long; price: 0.40',
      '- part: Valve; size: brass; price: 8.90',
    ],
  ],
  ['n-csv-quoted-semicolon.csv', ['- Nom: Zoé; Localité: Paris', '- Nom: Léa; Localité: Lyon']],
  [
    'n-csv-quoted-newline.csv',
    ['- name: Orla; note: first line second, line; city: Galway', '- name: Bram; note: says "no"; city: Ghent'],
  ],
  ['n-csv-pipe.csv', ['- name: Orla; city: Galway; note: a, b, c', '- name: Bram; city: Ghent; note: d, e']],
  [
    'csv-module-excel.csv',
    ['- item: Rope; note: says "no", and more; price: 12,50', '- item: Bolt; note: a b; price: 3'],
  ],
  ['csv-module-pipes.csv', ['- item: Rope; sizes, in mm: 1, 2, 3', '- item: Bolt; sizes, in mm: 4; 5']],
  [
    'csv-module-ragged.csv',
    [
      ...['- Depot report', '- item: Rope; shelf: B4; count: 40', '- Bolt', '- item: Nail; shelf: C1; count: 7'],
      '- Source: the depot',
    ],
  ],
  ['pandas-index.csv', ['- 0; name: Orla; city: Galway', '- 1; name: Bram; city: Ghent']],
  ['pandas-years.tsv', ['- Norland; 2021: 410; 2022: 433', '- Sudria; 2021: 120; 2022: 118']],
  ['pandas-decimal.csv', ['- name: Orla; city: Galway; price: 12,5', '- name: Bram; city: Ghent; price: 24,9']],
  ['pandas-groups.csv', FRAME],
  ['pandas-groups.xlsx', ['# Sheet1', ...FRAME]],
  ['xlsx-two-header-rows.xlsx', ['# Plan', ...GROUPS]],
  ['openpyxl-groups.xlsx', OPENPYXL_GROUPS],
  [
    'xlsx-merged.xlsx',
    [
      ...['# Stock', '- Region: North; Depot: Alder; Stock: 40', '- Region: North; Depot: Birch; Stock: 7'],
      ...['- Region: North; Depot: Cedar; Stock: 12', '- Region: South; Depot: Dogwood; Stock: 9'],
      '- Region: South; Depot: Elm; Stock: 31',
    ],
  ],
  ['pandas-regions.xlsx', ['# Sheet1', ...REGIONS]],
  ['pandas-regions.ods', ['# Sheet1', ...REGIONS]],
  [
    'xlsxwriter-merged.xlsx',
    [
      '# Opening hours',
      '- Hall: North; Monday: 9 to 17; Tuesday: 9 to 12; Since: 2024-03-05',
      '- Hall: North; Monday: closed; Tuesday: closed',
      '- Hall: Hall 7; Monday: 9 to 17; Tuesday: closed',
      '- Closed on holidays.',
    ],
  ],
  ['html-rowspan.html', ['| Region | Depot | Stock', ...HTML_REGIONS]],
  ['pandoc-rowspan.html', ['| Region | Depot | Stock', ...HTML_REGIONS]],
  ['pandas-regions.html', ['| | | Stock', '| Region | Depot |', ...HTML_REGIONS]],
  ['pandoc-rowspan.docx', ['| Region | Depot | Stock', ...HTML_REGIONS]],
  ['pandoc-rowspan.odt', ['Region | Depot | Stock', ...HTML_REGIONS.map((line) => line.slice(2))]],
  ['python-docx-merged.docx', MERGED.map((line) => `| ${line}`)],
  ['python-pptx-merged.pptx', MERGED],
  [
    'xlsx-formats.xlsx',
    [
      '# Codes',
      '- Name: Orla; Postcode: 01234; Invoice: INV-0042; Duration: 26:30; Time: 9:00; Amount: 1,234.50 EUR; ' +
        'Phone: 35315550123; Card: 1234567890123460; Sum: 0.3',
    ],
  ],
  ['openpyxl-formats.xlsx', FORMATS],
  ['openpyxl-formats-1904.xlsx', FORMATS],
  ['xlsx-backslash-zip.xlsx', ['# Depots', '- Depot: Alder; Stock: 40', '- Depot: Birch; Stock: 7']],
  ['docx-backslash-zip.docx', ['The ferry leaves at seven.']],
  ['zipfile-backslash-openpyxl-groups.xlsx', OPENPYXL_GROUPS],
  ['zipfile-backslash-python-docx-merged.docx', MERGED.map((line) => `| ${line}`)],
  ['zipfile-backslash-python-pptx-merged.pptx', MERGED],
])('%s', async (name, lines) => {
  expect(await read(name)).toEqual(lines);
});
