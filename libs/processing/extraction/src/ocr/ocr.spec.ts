import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { pageOf, proseLines, scanOf, wordAccuracy } from '../testing/pictures.ts';
import { decodePicture } from './decode.ts';
import { readPicture } from './read-picture.ts';
import { endRecognizer } from './recognizer.ts';

const eng = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
const RESOURCES = { languages: ['eng'], folders: [join(eng, '4.0.0_best_int')] };

afterAll(endRecognizer);

const read = async (bytes: Uint8Array) => readPicture(await decodePicture(bytes), RESOURCES);
const lines = proseLines(16);
/** Of a page that ends below these lines. */
const HALF = { height: 1_100 };

test('a clean page is read with at least 98 % of its words', async () => {
  const text = await read(await pageOf(lines, HALF).png().toBuffer());
  expect(wordAccuracy(lines, text)).toBeGreaterThanOrEqual(0.98);
  // The lines of one paragraph stay together.
  expect(text.split('\n\n')).toHaveLength(1);
});

test.each([90, 3])('a noisy page turned by %d degrees is read with at least 90 %% of its words', async (degrees) => {
  expect(wordAccuracy(lines, await read(await scanOf(pageOf(lines, HALF), degrees)))).toBeGreaterThanOrEqual(0.9);
});

test('columns are read one after the other, of a page that is upside down', async () => {
  const column = (name: string) =>
    Array.from({ length: 6 }, (_, i) => `the ${name} column holds the line ${i} of its own`);
  const size = { height: 600, size: 28 };
  const right = await pageOf(column('right'), { ...size, left: 900 })
    .png()
    .toBuffer();
  const left = await pageOf(column('left'), { ...size, left: 100 })
    .png()
    .toBuffer();
  const both = await sharp(left)
    .composite([{ input: right, blend: 'darken' }])
    .png()
    .toBuffer();
  const page = await sharp(both).flatten().rotate(180).png().toBuffer();
  expect((await read(page)).split('\n\n')).toEqual([column('left').join('\n'), column('right').join('\n')]);
});

test('a picture that shows no text is empty', async () => {
  const noise = await scanOf(pageOf([], { width: 500, height: 400 }), 0);
  expect(await read(noise)).toBe('');
  expect(await read(await pageOf([], { width: 300, height: 300 }).png().toBuffer())).toBe('');
});

test('weights that are missing are named', async () => {
  const picture = await decodePicture(await pageOf(['a word'], { width: 400, height: 300 }).png().toBuffer());
  await expect(readPicture(picture, { languages: ['deu'], folders: RESOURCES.folders })).rejects.toMatchObject({
    ...{ code: 'model_missing', resource: 'ocr-deu' },
  });
});
