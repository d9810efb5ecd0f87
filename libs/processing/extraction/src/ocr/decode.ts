import type { Sharp } from 'sharp';
import { damagedFileError, ExtractionError } from '../failures.ts';
import { decodeBitmap, isBitmap, tooManyPixels } from './bitmap.ts';
import { darkOnWhite } from './dark-on-white.ts';
import { opaque } from './opaque.ts';
import { type ColourPicture, MAX_SIDE, type Picture, resize } from './picture.ts';
import { loadSharp } from './sharp.ts';

/** Pictures of more pixels are not decoded. The largest cameras of telephones make 200 million. */
const MAX_PIXELS = 204_000_000;
/** Pictures whose longest side is shorter are enlarged, because their letters are small: at most so many times. */
const SMALL_SIDE = 2_200;
const ENLARGED_SIDE = 3_000;
const MAX_ENLARGEMENT = 3;
/** Of a page at 72 dpi. */
const PAGE_SIDE = 500;
const PAGE_PIXELS = 500_000;

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
  const scale = scaleOf(Math.max(autoOrient.width, autoOrient.height));
  const widthAt = (factor: number) => Math.max(1, Math.round(autoOrient.width * factor));
  const picture = await darkOnWhite(await coloursOf(bytes, page, widthAt(Math.min(1, scale))));
  return scale > 1 ? resize(picture, widthAt(scale)) : picture;
}

async function coloursOf(bytes: Uint8Array, page: number, width: number): Promise<ColourPicture> {
  try {
    const image = (await open(bytes, page)).autoOrient().resize({ width });
    const { data, info } = await image.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
    const colours = info.channels === 4 ? opaque(data) : data;
    return { data: colours, width: info.width, height: info.height, channels: 3 };
  } catch (error) {
    throw translated(error);
  }
}

function scaleOf(side: number): number {
  if (side > MAX_SIDE) return MAX_SIDE / side;
  return side >= SMALL_SIDE ? 1 : Math.min(MAX_ENLARGEMENT, ENLARGED_SIDE / side);
}

async function metadataOf(bytes: Uint8Array) {
  try {
    return await (await open(bytes)).metadata();
  } catch (error) {
    throw translated(error);
  }
}

async function open(bytes: Uint8Array, page = 0): Promise<Sharp> {
  const sharp = await loadSharp();
  if (isBitmap(bytes)) {
    const { data, ...size } = await decodeBitmap(bytes, MAX_PIXELS);
    return sharp(data, { raw: { ...size, channels: 4 } });
  }
  return sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', page });
}

function translated(error: unknown): ExtractionError {
  if (error instanceof ExtractionError) return error;
  if (/pixel limit/.test((error as Error).message)) return tooManyPixels(MAX_PIXELS);
  return damagedFileError('a picture', error);
}
