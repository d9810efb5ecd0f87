import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pdf } from '../extractors/pdf.extractor.ts';
import { extractDocument, NO_RESOURCES } from '../index.ts';
import { KnownPictures } from '../ocr/picture-texts.ts';
import { readPicture } from '../ocr/read-picture.ts';
import { endRecognizer } from '../ocr/recognizer.ts';
import { wordAccuracy } from '../testing/pictures.ts';

/** Pages whose fonts do not say which letters they draw (`test/fixtures/pdf`). */

const FIXTURES = join(import.meta.dirname, '../../../../../test/fixtures/pdf');
const eng = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
const OCR = { languages: ['eng'], folders: [join(eng, '4.0.0_best_int')] };

const fixture = (name: string) => readFileSync(join(FIXTURES, name));

afterAll(endRecognizer);

/** Reads a file as jobs do: first to know which pages are read as pictures, then with their texts. */
async function read(name: string) {
  const body = fixture(name);
  const first = { path: '', resources: NO_RESOURCES, pictures: new KnownPictures() };
  await expect(pdf.toText(body, first)).rejects.toMatchObject({ code: 'extraction_failed' });
  const { missing } = first.pictures;
  const texts: Record<string, string> = {};
  for await (const picture of pdf.pictures?.(body, missing) ?? []) {
    texts[missing[Object.keys(texts).length] as string] = picture === null ? '' : await readPicture(picture, OCR);
  }
  const { text } = await pdf.toText(body, { ...first, pictures: new KnownPictures(texts) });
  return text;
}

const DIARY = [
  ...['The lighthouse keeper writes a diary', 'of the weather, and rows to the island'],
  'twice a week for bread and oil.',
];

test.each([
  [
    'pdf-no-tounicode.pdf',
    [
      'Quarterly report of the harbour office',
      'The number of ships that called at the port rose by nine percent',
      'while the number of passengers stayed the same as in the year before.',
      'The new crane at Alder pier lifts forty tonnes and was paid by the town.',
      'Repairs of the north quay begin in October and end in February.',
    ],
  ],
  [
    'pdf-no-tounicode-heading.pdf',
    [
      'Quarterly harbour report',
      'The number of ships that called at the port rose by nine percent in the last year,',
      'while the number of passengers stayed the same as in the year before that one.',
      'The new crane at Alder pier lifts forty tonnes and was paid for by the town itself.',
    ],
  ],
  ['fpdf2-nameless.pdf', DIARY],
  ['typst-nameless.pdf', DIARY],
  ['pymupdf-nameless.pdf', DIARY],
])('the page of %s is read as a picture', async (name, lines) => {
  expect(wordAccuracy(lines, await read(name))).toBeGreaterThanOrEqual(0.95);
});

test('pages whose letters are not recognized are named', async () => {
  const source = { body: fixture('typst-nameless.pdf'), kind: 'pdf', fileName: null, documentDate: null };
  await expect(extractDocument(source)).rejects.toMatchObject({
    code: 'extraction_failed',
    message: expect.stringContaining('on page 1,'),
  });
});

test('bullets without a name do not make a picture of a page', async () => {
  const source = { body: fixture('reportlab-bullets.pdf'), kind: 'pdf', fileName: null, documentDate: null };
  const { text } = await extractDocument(source);
  expect(text).toBe('Ropes and lanterns\nBread and oil\nSlate');
});
