import sharp from 'sharp';
import { countPages, decodePicture } from './decode.ts';
import type { Picture } from './picture.ts';

/** A white picture of 300 × 200 pixels with a black stroke at the left. */
const stroke = () =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: '#fff' } }).composite([
    { input: { create: { width: 20, height: 200, channels: 3, background: '#000' } }, left: 0, top: 0 },
  ]);

/** A BMP with 24 bits for each pixel, whose rows end on four bytes already. */
function bitmapOf(colours: Buffer, width: number, height: number): Buffer {
  const header = Buffer.alloc(54);
  header.write('BM');
  header.writeUInt32LE(header.length + colours.length, 2);
  header.writeUInt32LE(header.length, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  // From top to bottom.
  header.writeInt32LE(-height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return Buffer.concat([header, colours]);
}

/** The grey level at a place, both 0 to 1. */
const at = ({ data, width, height }: Picture, x: number, y: number) =>
  data[Math.floor(y * height) * width + Math.floor(x * width)];

test.each([
  ['PNG', () => stroke().png().toBuffer()],
  ['JPEG', () => stroke().jpeg().toBuffer()],
  ['GIF', () => stroke().gif().toBuffer()],
  ['WebP', () => stroke().webp().toBuffer()],
  ['TIFF', () => stroke().tiff().toBuffer()],
  ['AVIF', () => stroke().avif().toBuffer()],
  ['BMP', async () => bitmapOf(await stroke().removeAlpha().raw().toBuffer(), 300, 200)],
])('%s is decoded, and a small picture enlarged', async (_name, make) => {
  const picture = await decodePicture(await make());
  expect(picture).toMatchObject({ width: 900, height: 600 });
  expect(picture.data).toHaveLength(900 * 600);
  expect(at(picture, 0.03, 0.5)).toBeLessThan(30);
  expect(at(picture, 0.9, 0.5)).toBeGreaterThan(225);
});

test('a JPEG is turned as its EXIF data says', async () => {
  const turned = await stroke().jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const picture = await decodePicture(turned);
  expect(picture).toMatchObject({ width: 600, height: 900 });
  expect(at(picture, 0.5, 0.03)).toBeLessThan(30);
  expect(at(picture, 0.5, 0.9)).toBeGreaterThan(225);
});

test('white on black becomes black on white', async () => {
  const dark = await sharp(await stroke().png().toBuffer())
    .negate({ alpha: false })
    .png()
    .toBuffer();
  expect(at(await decodePicture(dark), 0.03, 0.5)).toBeLessThan(30);
  expect(at(await decodePicture(dark), 0.9, 0.5)).toBeGreaterThan(225);
});

test.each([
  ['nothing but what is transparent', []],
  ['black', ['#000']],
  ['white', ['#fff']],
  ['a middle grey', ['#808080']],
  ['black and white', ['#000', '#fff']],
])('a picture that shows %s has a white ground', async (_name, inks) => {
  const clear = { width: 300, height: 200, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
  const inkOf = (background: string) => ({ create: { width: 100, height: 10, channels: 3, background } }) as const;
  const strokes = inks.map((ink, i) => ({ input: inkOf(ink), left: 100, top: 50 + i * 50 }));
  const picture = await decodePicture(await sharp({ create: clear }).composite(strokes).png().toBuffer());
  expect(at(picture, 0.1, 0.1)).toBe(255);
  for (const [i] of inks.entries()) expect(at(picture, 0.5, 0.28 + i * 0.25)).toBeLessThan(140);
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
  ['BMP', async () => bitmapOf(Buffer.alloc(0), 100_000, 100_000)],
  ['AVIF', claimedAvif],
])('a %s that claims more pixels than any camera makes is not decoded', async (_name, make) => {
  await expect(decodePicture(await make())).rejects.toMatchObject({ code: 'extraction_too_large' });
});

async function claimedAvif(): Promise<Buffer> {
  const avif = await stroke().avif().toBuffer();
  const size = avif.indexOf('ispe') + 8;
  avif.writeUInt32BE(100_000, size);
  avif.writeUInt32BE(100_000, size + 4);
  return avif;
}

test.each([
  ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>a</text></svg>')],
  ['a picture cut off', null],
  ['a bitmap without pixels', bitmapOf(Buffer.alloc(0), 300, 200)],
  ['a bitmap without a header', Buffer.from('BM\0\0\0\0\0\0\0\0')],
])('%s is not decoded', async (_name, bytes) => {
  const cut = async () => (await stroke().png({ compressionLevel: 0 }).toBuffer()).subarray(0, 20_000);
  await expect(decodePicture(bytes ?? (await cut()))).rejects.toMatchObject({ code: 'extraction_failed' });
});
