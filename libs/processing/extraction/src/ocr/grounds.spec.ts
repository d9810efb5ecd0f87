import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pdf } from '../extractors/pdf.extractor.ts';
import { decodePicture } from './decode.ts';
import type { Picture } from './picture.ts';
import { readPicture } from './read-picture.ts';
import { endRecognizer } from './recognizer.ts';

/** Letters on grounds of all colours (`test/fixtures/pictures`). */

const FIXTURES = join(import.meta.dirname, '../../../../../test/fixtures/pictures');
const eng = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
const OCR = { languages: ['eng'], folders: [join(eng, '4.0.0_best_int')] };

afterAll(endRecognizer);

async function pictureIn(name: string): Promise<Picture | null> {
  const bytes = readFileSync(join(FIXTURES, name));
  if (!name.endsWith('.pdf')) return decodePicture(bytes);
  for await (const page of pdf.pictures?.(bytes, ['1']) ?? []) return page;
  return null;
}

async function linesOf(name: string): Promise<readonly string[]> {
  const picture = await pictureIn(name);
  const text = picture && (await readPicture(picture, OCR));
  return (text ?? '').split('\n').filter((line) => line !== '');
}

const FERRY = ['The ferry leaves at seven', 'from the east pier on Monday', 'Tickets cost ninety crowns'];
const KETTLE = ['The kettle sings at noon', expect.stringMatching(/^and the cat comes in$/i)];
const ICE = ['The ice is thick enough', 'for sledges since Sunday'];

test.each([
  ['img-white-on-red.png', FERRY],
  ['img-white-transparent.png', FERRY.slice(0, 2)],
  ['n-img-white-on-black.png', FERRY],
  ['n-img-white-on-blue.png', FERRY],
  ['n-img-white-on-green.png', FERRY],
  ['n-img-yellow-on-blue.png', FERRY],
  ['pillow-transparent-light.webp', KETTLE],
  ['pillow-transparent-dark.webp', KETTLE],
  ['pillow-transparent-red.webp', KETTLE],
  ['pillow-lines.avif', ICE],
  ['pillow-lines.bmp', ICE],
])('%s is read', async (name, lines) => {
  expect(await linesOf(name)).toEqual(lines);
});

test.each([
  [
    'pillow-bands.png',
    [
      'The goats went up the hill at dawn',
      'No boats leave while the flag is red',
      'Bread is sold at the old mill',
      'The market opens on Saturday',
      'Mind the low bridge ahead',
      'Letters are brought on Tuesday',
    ],
  ],
  [
    'pillow-middle.jpg',
    [
      'Orange letters on a grey wall',
      'White letters on a grey wall',
      'Pink letters on a green door',
      'White letters on a yellow gate',
    ],
  ],
  [
    'pillow-buttons.png',
    [
      'Harbour bookings',
      'Your berth is free until Friday evening.',
      'The harbour master asks for nine crowns a night.',
      'Book the berth | Ask for a pilot',
      'Boats longer than twelve metres moor outside.',
    ],
  ],
  [
    'pillow-transparent-both.png',
    ['White wool is dear', 'Black wool is cheap', 'Grey wool is for mittens', 'Brown wool is for hats'],
  ],
  ['pymupdf-bands.pdf', ['Seeds are kept in the dry room', 'Tools hang behind the door', 'Keys are with the gardener']],
])('the bands of %s, with letters of all kinds, are read in their order, and once', async (name, lines) => {
  expect(await linesOf(name)).toEqual(lines);
});

test.each([
  [
    'pillow-gradient.jpg',
    ['# The year of the lighthouse', 'Lamps were cleaned on every morning', 'Forty ships were led around the reef'],
  ],
  ['matplotlib-dark.png', ['Jars of honey in the cellar', 'counted every month', 'spring | summer | autumn']],
  [
    'pillow-poster.gif',
    ['# BOOKS', 'are sold in the barn', 'Bring a basket', 'and a lantern', 'from six in the evening'],
  ],
])(
  'letters are read in %s, where their ground is not of one colour, or they are as large as one',
  async (name, lines) => {
    expect(await linesOf(name)).toEqual(lines);
  },
);
