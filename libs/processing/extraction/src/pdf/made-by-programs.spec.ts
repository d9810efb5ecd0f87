import { readFixture } from '../testing/uploads.ts';

/** PDF files that other programs made, and inputs of bug reports (`test/fixtures/pdf`). */

async function read(fileName: string): Promise<readonly string[]> {
  const { text } = await readFixture('pdf', fileName);
  return text.split('\n').filter((line) => line !== '');
}

const FERRY = [
  ...['The ferry leaves at seven from the east pier.', 'Tickets are sold in the wooden hut beside the crane.'],
  ...['Dogs travel free of charge on working days.', 'In a storm the boats stay in the harbour.'],
  ...['Ship | Berth | Hour', 'Gannet | two | nine'],
];
const SHIPS = ['Ship | Berth | Hour', 'Gannet | two | nine', 'Petrel | four | ten'];
const TWICE = ['Llamas are all 1100 on board.', 'Ship | Ship', 'Ship | Ship', 'Ship | Ship'];

const KEEPER = 'تقف المنارة على الشاطئ الجنوبي منذ 1887، ولا يعمل الحارس إلا ليلا';
const KEEPER_IN_LINES = [
  ...['تقف المنارة على الشاطئ الجنوبي منذ 1887، ولا يعمل', 'الحارس إلا ليلا بمساعدة برنامج LightKeeper 3.2', 'الآلي.'],
];
const WATCHMAN = ['המגדלור עומד על החוף הדרומי משנת 1887, והשומר עובד עם LightKeeper', '3.2 בלילה.'];
const BERTHS = ['السفينة | المرسى | الساعة', 'الآلاء | 2 | 09:30', 'الإسلام | 14 | 10:45'];

test.each<[string, readonly string[]]>([
  // Words that are divided at the ends of lines.
  [
    'pdf-soft-hyphen.pdf',
    [
      'The inspector wrote that the foundation of the lighthouse needs cement before the winter, and the harbourmaster agreed with the suggestion of the town.',
    ],
  ],
  [
    'fpdf2-soft-hyphen.pdf',
    ['The inspector wrote that', 'the foundation of the lighthouse needs cement before', 'the winter.'],
  ],
  [
    'reportlab-hyphens.pdf',
    [
      'The foundation needs an e\u2011mail, a lighthouse\u2010',
      'Keeper and 3\u2010',
      '4 bags of cement for the HARBOUR.',
    ],
  ],
  [
    'typst-hyphenation.pdf',
    [
      ...['The administration', 'recommended extraordinary precautions concerning the', 'foundation of the'],
      'lighthouse.',
    ],
  ],
  // Letters that are drawn again for bold and shadows, and words that are written again.
  ['pdf-fake-bold.pdf', ['Warning notice', 'Cranes are closed on Sunday', 'The depot opens again on Monday at seven.']],
  ['fpdf2-drawn-three-times.pdf', ['Bookkeeper | Mississippi | had', 'had | that | that', 'no no, all is well']],
  ['reportlab-drawn-twice.pdf', TWICE],
  ['typst-shadow.pdf', ['Warning notice: the the pier is closed.']],
  // Turned pages and text.
  ['pdf-rotated-270.pdf', FERRY],
  ['pdf-sideways.pdf', FERRY],
  ['reportlab-page-turned.pdf', ['The ships of the week, as the harbour office', 'wrote them down.', ...SHIPS]],
  ['fpdf2-table-turned.pdf', ['Chapter 3', '7', ...SHIPS]],
  [
    'pymupdf-four-directions.pdf',
    [
      ...['Upright: the ferry leaves at seven.', 'Turned by 90: dogs travel', 'free of charge.'],
      ...['Upside down: boats stay', 'in the harbour.', 'Turned by 270: tickets are sold', 'in the hut.'],
    ],
  ],
  ['pypdf-rotated.pdf', TWICE],
  ['reportlab-vertical.pdf', ['灯台は南の海岸に', '立っている︒']],
  // Text from right to left: signs for two letters, words in other scripts, numbers, tables and columns.
  ['fpdf2-right-to-left.pdf', [`${KEEPER} بمساعدة`, 'برنامج LightKeeper 3.2 الآلي.', ...WATCHMAN]],
  ['typst-right-to-left.pdf', ['# دليل المنارة', ...KEEPER_IN_LINES, ...BERTHS]],
  ['libreoffice-right-to-left.pdf', [`${KEEPER} بمساعدة برنامج LightKeeper`, '3.2 الآلي.', ...BERTHS]],
  ['reportlab-right-to-left.pdf', ['ولا يعمل الحارس إلا ليلا.', 'الإسلام والآلاء LightKeeper 3.2']],
  // The invisible text of a scan.
  [
    'pymupdf-invisible.pdf',
    [
      ...['The lighthouse keeper writes a diary', 'of the weather, and rows to the island'],
      'twice a week for bread and oil.',
    ],
  ],
  // Values of forms.
  [
    'pdf-form.pdf',
    [
      ...['Berth request of the harbour office', 'Ship: Northern Gannet', 'Draught in metres: 7.45'],
      ...['Cargo: four hundred tonnes of slate', 'Pilot wanted: [x] Yes', 'Pier: Alder pier'],
    ],
  ],
  [
    'reportlab-form.pdf',
    [
      ...['Ship: Northern Gannet', 'Remarks of the master: needs fresh water', 'What is on board?'],
      ...['slate and', 'barrels of tar', 'Code:', 'Office only:', 'Flag:', 'Pier: Alder pier', 'Days: Tuesday'],
      ...['[x] Pilot', '[ ] Tug', 'Insured: [x] Yes', '[ ] by day | [x] by night'],
    ],
  ],
  ['reportlab-form-table.pdf', ['Article | Count | Price', 'Rope | 3 | 12.50', 'Bolt | 40 | 0.40']],
  ['pymupdf-form.pdf', ['Request', 'Name | Orla Byrne', 'Town | Galway', 'Member | [x] Yes', 'News | [ ]']],
  ['pypdf-form-filled.pdf', ['Request', 'Name | Bram de Vries', 'Town | Ghent', 'Member | [ ]', 'News | [x] Yes']],
])('%s', async (name, lines) => {
  expect(await read(name)).toEqual(lines);
});

test.each([
  'typst-two-columns.pdf',
  'fpdf2-three-columns.pdf',
  'reportlab-three-columns.pdf',
  'typst-three-columns-german.pdf',
  'typst-four-columns.pdf',
])('the columns of %s are read one after the other', async (name) => {
  const text = (await read(name)).join('\n');
  const ends = ['Alder', 'Birch', 'Cedar', 'Dogwood'].flatMap((paragraph) => [`${paragraph}1`, `${paragraph}2`]);
  expect(text.match(/\p{Lu}\p{Ll}+\d/gu)).toEqual(ends);
  expect(text).not.toContain('|');
});

test('the right one of two columns of Arabic and Hebrew is read first', async () => {
  const text = (await read('typst-right-to-left-columns.pdf')).join(' ');
  expect(text).not.toContain('|');
  expect(text.lastIndexOf('الحارس')).toBeGreaterThan(0);
  expect(text.lastIndexOf('الحارس')).toBeLessThan(text.indexOf('המגדלור'));
});

test('letters that stand higher are in their line, and a number of the page in a narrow gutter does not hide the columns', async () => {
  const lines = await read('typst-paper.pdf');
  expect(lines.slice(0, 2)).toEqual([
    '# On the Ledger of a Port',
    'Orla Byrne∗, Bram de Vries†, Ann Berg∗, Pelle Holm†',
  ]);
  const text = lines.join('\n');
  expect(text).toContain('and the day. Alder3 ends.\n');
  expect(text).not.toContain('|');
  expect(text.split('\nBirch begins.')[0]).toMatch(/the day\.$/);
});

test('a table with cells as long as lines of a column is read by its rows', async () => {
  const [first, ...rows] = await read('reportlab-table-of-long-cells.pdf');
  expect(first).toBe('The report is updated on the 10th of each month.');
  expect(rows.slice(0, 2)).toEqual([
    'DOC20240000 | 05/03/2024 | HARBOUR OFFICE - PILOTS | 03/04/2024 | TRAVEL FROM THE PORT TO THE ISLAND',
    'BY THE FERRY OF THE MORNING, WITH TWO TRUNKS',
  ]);
  expect(rows).toHaveLength(24);
});
