import type { Sharp } from 'sharp';
import { damagedFileError, type ExtractionError, tooLarge } from '../failures.ts';

/** Grey levels of the pixels, row by row: 0 is black. */
export interface Picture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

const WHITE = { r: 255, g: 255, b: 255 };
/** Pictures of more pixels are not decoded. The largest cameras of telephones make 200 million. */
const MAX_PIXELS = 204_000_000;
/** Longest side of a picture that is read, in pixels: A4 at 300 dpi fits. Larger ones are reduced. */
export const MAX_SIDE = 3_600;
/** Pictures whose longest side is shorter are enlarged, because their letters are small: at most so many times. */
const SMALL_SIDE = 2_200;
const ENLARGED_SIDE = 3_000;
const MAX_ENLARGEMENT = 3;
/** Of a page at 72 dpi. */
const PAGE_SIDE = 500;
const PAGE_PIXELS = 500_000;
/** Mean grey level of a picture of white letters on a dark ground. */
const DARK = 100;

/** The decoder, for pictures of pixels alone: drawings and documents are not loaded. */
async function loadSharp() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  // OCR takes one core while requests are served.
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Tiff'].map((name) => `VipsForeignLoad${name}`),
  });
  return sharp;
}

/** Returns how many pictures a file holds that are read one after the other: the pages of a scan, not those of an animation. */
export async function countPages(bytes: Uint8Array): Promise<number> {
  const { format, pages = 1 } = await metadataOf(bytes);
  return format === 'tiff' ? pages : 1;
}

/** Whether a picture in a document is large enough to be one of a page. */
export async function mayBePage(bytes: Uint8Array): Promise<boolean> {
  const { width, height } = await metadataOf(bytes).catch(() => ({ width: 0, height: 0 }));
  return Math.min(width, height) >= PAGE_SIDE && width * height >= PAGE_PIXELS;
}

/**
 * Decodes a picture as it is read: upright as its EXIF data says, grey, dark on white, in a size that suits letters.
 * @param page of a file with several
 * @throws ExtractionError
 */
export async function decodePicture(bytes: Uint8Array, page = 0): Promise<Picture> {
  const { autoOrient } = await metadataOf(bytes);
  const sharp = await loadSharp();
  try {
    const side = Math.max(autoOrient.width, autoOrient.height);
    const upright = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', page })
      .autoOrient()
      .flatten({ background: WHITE })
      .greyscale()
      .resize({ width: Math.max(1, Math.round(autoOrient.width * scaleOf(side))) });
    return darkOnWhite(await pixelsOf(upright));
  } catch (error) {
    throw translated(error);
  }
}

/** Turns a picture clockwise; what is beside it then is white. */
export async function turn({ data, width, height }: Picture, degrees: number): Promise<Picture> {
  if (degrees === 0) return { data, width, height };
  const sharp = await loadSharp();
  return pixelsOf(
    sharp(data, { raw: { width, height, channels: 1 } })
      .rotate(degrees, { background: WHITE })
      .extractChannel(0),
  );
}

/** Reduces a picture until its longest side has so many pixels. */
export async function reduce({ data, width, height }: Picture, side: number): Promise<Picture> {
  const scale = side / Math.max(width, height);
  if (scale >= 1) return { data, width, height };
  const sharp = await loadSharp();
  return pixelsOf(
    sharp(data, { raw: { width, height, channels: 1 } })
      .resize({ width: Math.max(1, Math.round(width * scale)) })
      .extractChannel(0),
  );
}

async function pixelsOf(image: Sharp): Promise<Picture> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Returns the rows from `top` on. */
export const rowsOf = ({ data, width }: Picture, top: number, height: number): Picture => ({
  data: data.subarray(top * width, (top + height) * width),
  width,
  height,
});

function scaleOf(side: number): number {
  if (side > MAX_SIDE) return MAX_SIDE / side;
  return side >= SMALL_SIDE ? 1 : Math.min(MAX_ENLARGEMENT, ENLARGED_SIDE / side);
}

function darkOnWhite(picture: Picture): Picture {
  const { data } = picture;
  let sum = 0;
  for (const value of data) sum += value;
  if (sum >= DARK * data.length) return picture;
  return { ...picture, data: data.map((value) => 255 - value) };
}

async function metadataOf(bytes: Uint8Array) {
  const sharp = await loadSharp();
  try {
    return await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): ExtractionError {
  if (/pixel limit/.test((error as Error).message)) return tooLarge(`The picture has more than ${MAX_PIXELS} pixels`);
  return damagedFileError('a picture', error);
}
