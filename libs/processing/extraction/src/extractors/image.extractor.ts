import { ExtractionError } from '../failures.ts';
import { isBitmap } from '../ocr/bitmap.ts';
import { countPages, decodePicture } from '../ocr/decode.ts';
import { SectionedText } from '../sectioned-text.ts';
import type { FileExtractor } from './extractor.ts';

const MIB = 1024 * 1024;
/** First bytes, as Latin-1. */
const BEGINNINGS = ['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', 'II*\0', 'MM\0*'];

/** Brands of AVIF, alone or in a sequence. HEIC files have others. */
const AVIF = /avi[fs]/;

/** The text in a picture: JPEG, PNG, GIF, WebP, TIFF, AVIF, BMP. Of an animation its first frame, of a scan every page. */
export const image: FileExtractor = {
  kind: 'image',
  type: 'image',
  reads: 'bytes',
  limits: { ms: 120_000, outputBytes: 16 * MIB },
  extensions: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'tif', 'tiff', 'avif', 'bmp'],
  mediaTypes: ['png', 'jpeg', 'gif', 'webp', 'tiff', 'avif', 'bmp'].map((name) => `image/${name}`),
  fileTypes: ['image'],
  detects: (bytes) => {
    const head = String.fromCharCode(...bytes.subarray(0, 12));
    const isWebp = head.startsWith('RIFF') && head.endsWith('WEBP');
    return isWebp || isAvif(bytes) || isBitmap(bytes) || BEGINNINGS.some((beginning) => head.startsWith(beginning));
  },
  async toText(bytes, { pictures }) {
    const text = new SectionedText();
    const count = await countPages(bytes);
    for (let page = 1; page <= count; page++) {
      if (count > 1) text.section({ page });
      text.addAll(pictures.textOf(String(page)));
    }
    const { result } = text;
    if (result.text === '') throw new ExtractionError(NO_TEXT);
    return { ...result, title: null };
  },
  async *pictures(bytes, names) {
    for (const name of names) yield decodePicture(bytes, Number(name) - 1);
  },
};

function isAvif(bytes: Uint8Array): boolean {
  // The box with the brands has fewer than 256 bytes, so the last byte of its length is the length.
  const brands = String.fromCharCode(...bytes.subarray(4, bytes[3]));
  return brands.startsWith('ftyp') && AVIF.test(brands);
}

const NO_TEXT =
  'No text was found in the picture. Upload a larger or sharper picture of it, or add what it shows as text.';
