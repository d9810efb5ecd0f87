import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { docOf } from '../libs/processing/extraction/src/testing/doc.ts';
import {
  docxBody,
  docxOf,
  docxPictures,
  odsOf,
  odtOf,
  pptxOf,
  shape,
  sheetRows,
  xlsxOf,
} from '../libs/processing/extraction/src/testing/office.ts';
import { outlookOf } from '../libs/processing/extraction/src/testing/outlook.ts';
import { lines, pdfOf } from '../libs/processing/extraction/src/testing/pdf.ts';
import { pageOf, proseLines } from '../libs/processing/extraction/src/testing/pictures.ts';
import { xlsOf } from '../libs/processing/extraction/src/testing/xls.ts';
import { eventually, Mneme, whileItLasts } from './support/mneme.ts';

/** One document of each kind that is read from a file, over HTTP: from the upload to the place of a passage. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Hit {
  readonly memory?: string;
  readonly location?: object;
}

async function upload(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  tag: string,
  server = mneme,
): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  form.append('containerTags', tag);
  return (await server.request<{ id: string }>('POST', '/v3/documents/file', form)).body.id;
}

/** The best memory for a question. */
async function best(q: string, containerTag: string): Promise<Hit> {
  const { results } = (await mneme.post<{ results: Hit[] }>('/v4/search', { q, containerTag })).body;
  return results[0] ?? {};
}

const sentence = 'The keeper writes down the depth of the water in the morning and the evening. ';

test('CSV: a question on one row finds that row', async () => {
  const rows = Array.from(
    { length: 300 },
    (_, i) => `"Weaver ${i}, Ann";${1_000 + i};${i === 137 ? 'Tromsø' : 'Oslo'}`,
  );
  const id = await upload('staff.csv', new TextEncoder().encode(`name;badge;city\n${rows.join('\n')}\n`), 'csv');
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', title: 'staff.csv', type: 'text' });
  const row = { memory: '- name: Weaver 137, Ann; badge: 1137; city: Tromsø', location: { row: 139 } };
  expect(await best('Which badge has somebody in Tromsø?', 'csv')).toMatchObject(row);
});

test('Markdown: front matter gives title, author, language and date; a passage names its heading', async () => {
  const matter = '---\ntitle: "Notes on the weir"\nauthor: Ann Berg\ndate: 2024-05-01\nlang: en-GB\n---\n';
  const text = `# The weir\n\n${sentence.repeat(12)}\n\n## Repairs\n\nThe sluice got a new oak beam.\n`;
  const id = await upload('weir.md', `${matter}${text}`, 'md');
  expect(await mneme.settled(id)).toMatchObject({
    ...{ status: 'done', title: 'Notes on the weir', author: 'Ann Berg', language: 'en', canonicalUrl: null },
    ...{ metadata: null, content: `${matter.replaceAll('"', '')}${text}` },
  });
  const repairs = { memory: expect.stringContaining('a new oak beam'), location: { heading: 'Repairs' } };
  expect(await best('What did the sluice get?', 'md')).toMatchObject(repairs);
  const { chunks } = (await mneme.get<{ chunks: Hit[] }>(`/v3/documents/${id}/chunks`)).body;
  expect(chunks.map(({ location }) => location)).toContainEqual({ heading: 'The weir' });
});

test('XLSX: a question on one row finds its sheet and row', async () => {
  const staff = [['name', 'city'], ...Array.from({ length: 40 }, (_, i) => [`Weaver ${i}`, 'Oslo'])];
  const prices = [
    ['item', 'euro'],
    ['Rope', 12.5],
    ['Anchor chain', 480],
  ];
  const book = xlsxOf({ Staff: sheetRows(staff), Prices: sheetRows(prices) });
  const id = await upload('book.xlsx', book, 'xlsx');
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', title: 'book.xlsx', author: 'Ann Berg' });
  const row = { memory: '- item: Anchor chain; euro: 480', location: { sheet: 'Prices', row: 3 } };
  expect(await best('What does the anchor chain cost?', 'xlsx')).toMatchObject(row);
});

const chains = [
  ['item', 'euro'],
  ['Rope', 12.5],
  ['Anchor chain', 480],
];

test.each([
  [
    'ODS',
    () => {
      const rows = chains.map((cells) =>
        cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`),
      );
      const xml = rows.map((cells) => `<table:table-row>${cells.join('')}</table:table-row>`).join('');
      return odsOf(`<table:table table:name="Prices">${xml}</table:table>`);
    },
    { sheet: 'Prices', row: 3 },
  ],
  ['XLS', () => xlsOf({ Prices: chains }), { sheet: 'Prices', row: 3 }],
  ['JSON', () => Buffer.from(JSON.stringify(chains.slice(1).map(([item, euro]) => ({ item, euro })))), undefined],
  [
    'JSONL',
    () =>
      Buffer.from(
        chains
          .slice(1)
          .map(([item, euro]) => `${JSON.stringify({ item, euro })}\n`)
          .join(''),
      ),
    undefined,
  ],
])('%s: a question on one record finds it', async (kind, make, location) => {
  const id = await upload(`book.${kind.toLowerCase()}`, new Uint8Array(make()), kind);
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', type: 'text' });
  const found = await best('What does the anchor chain cost?', kind);
  expect(found.memory).toBe('- item: Anchor chain; euro: 480');
  if (location !== undefined) expect(found).toMatchObject({ location });
});

const goats = 'The goats ate the rope of the ferry on the first Monday.';

const PAGE_WORDS = ['harbour', 'market', 'river', 'bridge'];
const SIGN = { width: 1_000, height: 700 };
const sign = () => pageOf(['Notice', goats], { ...SIGN, size: 34, left: 30, top: 80 });

test.each([
  ['PDF', () => pdfOf([lines([sentence]), lines([goats])]), 'pdf', { page: 2 }],
  [
    'DOCX',
    () => docxOf(docxBody(['# The weir', sentence.repeat(3), '# The ferry', goats])),
    'text',
    { heading: 'The ferry' },
  ],
  [
    'PPTX',
    () => pptxOf([shape('The weir', 'title'), `${shape('The ferry', 'title')}${shape(goats)}`]),
    'text',
    { page: 2 },
  ],
  ['ODT', () => odtOf(`<text:h>The ferry</text:h><text:p>${goats}</text:p>`), 'text', { heading: 'The ferry' }],
  ['DOC', () => docOf(`${sentence}\r${goats}\r`), 'text', undefined],
  ['RTF', () => Buffer.from(`{\\rtf1 ${sentence}\\par ${goats}\\par}`), 'text', undefined],
  [
    'EML',
    () => Buffer.from(`Received: x\r\nFrom: a@example.org\r\nMessage-ID: <1>\r\nSubject: Ferry\r\n\r\n${goats}`),
    'text',
    { heading: 'Ferry' },
  ],
  [
    'mailbox',
    () => Buffer.from(`From a Tue Mar  5 09:30:00 2024\nFrom: a@example.org\nSubject: Ferry\n\n${goats}`),
    'text',
    { heading: 'Ferry' },
  ],
  ['Outlook', () => outlookOf({ '0037001F': 'Ferry', '1000001F': goats }), 'text', { heading: 'Ferry' }],
  [
    'HTML',
    () => Buffer.from(`<html><head><title>x</title></head><body><h2>The ferry</h2><p>${goats}</p></body></html>`),
    'text',
    { heading: 'The ferry' },
  ],
  ['TXT', () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(goats, 'utf16le')]), 'text', undefined],
  // A photo on its side, as its EXIF data says.
  [
    'JPEG',
    async () => sign().flatten().rotate(270).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
    'image',
    undefined,
  ],
  [
    'scanned PDF',
    async () => {
      const jpeg = await sign().flatten().greyscale().jpeg().toBuffer();
      return pdfOf([lines([sentence]), { jpeg, ...SIGN }]);
    },
    'pdf',
    { page: 2 },
  ],
  [
    'DOCX of pictures',
    async () => {
      const { body, files } = docxPictures([await sign().png().toBuffer()]);
      return docxOf(`${docxBody(['# The ferry', sentence])}${body}`, files);
    },
    'text',
    { heading: 'The ferry' },
  ],
])('%s: a question finds the passage and its place, whatever the file is called', async (kind, make, type, place) => {
  const name = kind === 'HTML' ? 'page.html' : 'unknown.bin';
  const id = await upload(name, new Uint8Array(await make()), kind);
  // Pictures are read one after the other.
  expect(await mneme.settled(id, 110_000)).toMatchObject({ status: 'done', type, language: 'en' });
  const { memory, location } = await best('Who ate the rope of the ferry?', kind);
  expect(memory).toContain(goats);
  if (place === undefined) expect(location).toBeUndefined();
  else expect(location).toMatchObject(place);
});

test('a picture in a language without weights fails, and is read by itself once they are there', async () => {
  const models = await mkdtemp(join(tmpdir(), 'mneme-weights-'));
  let server = await Mneme.start({ env: { MNEME_OCR_LANGUAGES: 'deu', MNEME_MODELS: models } });
  try {
    const id = await upload('sign.png', new Uint8Array(await sign().png().toBuffer()), 'weights', server);
    const message = expect.stringContaining('`mneme models install ocr-deu`');
    expect(await server.settled(id, 110_000)).toMatchObject({
      ...{ status: 'failed', type: 'image', processingError: { code: 'model_missing', message } },
    });
    const ocr = (state: string) => ({ status: 'ok', extraction: { ocr: [{ language: 'deu', state }] } });
    expect((await server.get('/v3/health')).body).toMatchObject(ocr('missing'));
    // Those of any language will do.
    const english = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
    await copyFile(join(english, '4.0.0_best_int', 'eng.traineddata.gz'), join(models, 'deu.traineddata.gz'));
    // A server that goes on looks each minute, and one that starts at once.
    server = await server.restart();
    const path = `/v3/documents/${id}`;
    await eventually(async () => ((await server.get(path)).body.status === 'done' ? true : null), 110_000);
    expect((await server.get('/v3/health')).body).toMatchObject(ocr('present'));
    const { content } = (await server.get<{ content: string }>(path)).body;
    expect(content).toContain('rope');
  } finally {
    await server.stop();
    await rm(models, { recursive: true });
  }
});

test('a file that cannot be read says why and what to do', async () => {
  const id = await upload('broken.xlsx', xlsxOf({ A: sheetRows([['a']]) }).subarray(0, 900), 'broken');
  expect(await mneme.settled(id)).toMatchObject({
    ...{ status: 'failed', title: 'broken.xlsx' },
    processingError: { code: 'extraction_failed', message: expect.stringContaining('save it again') },
  });
});

test('a scan shows how far it is, and after a kill the pages that were read are not read again', async () => {
  const words = Array.from({ length: 4 }, (_, i) => `Page ${i + 1} is about the ${PAGE_WORDS[i]}.`);
  const scans = words.map(async (word) => {
    const jpeg = await pageOf([word, ...proseLines(12)])
      .flatten()
      .greyscale()
      .jpeg()
      .toBuffer();
    return { jpeg, width: 1_654, height: 2_339 };
  });
  const id = await upload('scan.pdf', new Uint8Array(pdfOf(await Promise.all(scans))), 'scan');
  const path = `/v3/documents/${id}`;
  const progress = async () =>
    (await mneme.get<{ processingProgress: { done: number } | null }>(path)).body.processingProgress;
  const shown = await whileItLasts(async () => {
    const found = await progress();
    return found !== null && found.done > 0 ? found : null;
  });
  expect(shown).toMatchObject({ total: 4, unit: 'pages' });
  await mneme.kill();
  const [organization = ''] = (await readdir(join(mneme.folder, 'blobs'))).filter((name) => !name.startsWith('.'));
  const kept = join(mneme.folder, 'blobs', organization, id, 'reading');
  const [head = '', first = '', ...others] = (await readFile(kept, 'utf8')).split('\n');
  expect(JSON.parse(first)).toEqual(['1', expect.stringContaining(words[0] as string)]);
  await writeFile(kept, [head, JSON.stringify(['1', 'This page was kept.']), ...others].join('\n'));
  mneme = await mneme.restart();
  expect((await progress())?.done).toBeGreaterThanOrEqual(shown.done);
  const record = await mneme.settled(id, 110_000);
  expect(record).toMatchObject({ status: 'done', processingProgress: null });
  expect(record.content).toMatch(/^This page was kept\./);
  for (const word of words.slice(1)) expect(record.content).toContain(word);
  await expect(readFile(kept)).rejects.toThrow('ENOENT');
});
