import sharp from 'sharp';
import { countPages, decodePicture, type Picture } from './picture.ts';

/** A picture of 300 × 200 pixels whose left third is black: most of it is light. */
const halves = () =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: '#fff' } }).composite([
    { input: { create: { width: 100, height: 200, channels: 3, background: '#000' } }, left: 0, top: 0 },
  ]);

/** The grey level at a place, both 0 to 1. */
const at = ({ data, width, height }: Picture, x: number, y: number) =>
  data[Math.floor(y * height) * width + Math.floor(x * width)];

test.each([
  ['PNG', () => halves().png().toBuffer()],
  ['JPEG', () => halves().jpeg().toBuffer()],
  ['GIF', () => halves().gif().toBuffer()],
  ['WebP', () => halves().webp().toBuffer()],
  ['TIFF', () => halves().tiff().toBuffer()],
])('%s is decoded, and a small picture enlarged', async (_name, make) => {
  const picture = await decodePicture(await make());
  expect(picture).toMatchObject({ width: 900, height: 600 });
  expect(picture.data).toHaveLength(900 * 600);
  expect(at(picture, 0.1, 0.5)).toBeLessThan(30);
  expect(at(picture, 0.9, 0.5)).toBeGreaterThan(225);
});

test('a JPEG is turned as its EXIF data says', async () => {
  const turned = await halves().jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const picture = await decodePicture(turned);
  expect(picture).toMatchObject({ width: 600, height: 900 });
  expect(at(picture, 0.5, 0.1)).toBeLessThan(30);
  expect(at(picture, 0.5, 0.9)).toBeGreaterThan(225);
});

test('what is transparent is white, and white on black becomes black on white', async () => {
  const clear = { width: 300, height: 200, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
  expect(at(await decodePicture(await sharp({ create: clear }).png().toBuffer()), 0.5, 0.5)).toBe(255);
  const dark = await sharp(await halves().png().toBuffer())
    .negate({ alpha: false })
    .png()
    .toBuffer();
  expect(at(await decodePicture(dark), 0.1, 0.5)).toBeLessThan(30);
  expect(at(await decodePicture(dark), 0.9, 0.5)).toBeGreaterThan(225);
});

test('of an animation the first frame is read, of a scan every page', async () => {
  const frames = { create: { width: 20, height: 40, channels: 3, background: '#fff', pageHeight: 20 } } as const;
  const animation = await sharp(frames).gif().toBuffer();
  expect(await countPages(animation)).toBe(1);
  const scan = await sharp(frames).tiff().toBuffer();
  expect(await countPages(scan)).toBe(2);
  expect(await decodePicture(scan, 1)).toMatchObject({ width: 60, height: 60 });
});

test.each([
  ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>a</text></svg>')],
  ['a picture cut off', null],
])('%s is not decoded', async (_name, bytes) => {
  const cut = async () => (await halves().png({ compressionLevel: 0 }).toBuffer()).subarray(0, 20_000);
  await expect(decodePicture(bytes ?? (await cut()))).rejects.toMatchObject({ code: 'extraction_failed' });
});
