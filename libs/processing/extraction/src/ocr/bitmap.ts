import { tooLarge } from '../failures.ts';

/** Where the header begins that follows that of the file, and its size in the first version, which has short numbers. */
const HEADER = 14;
const CORE_SIZE = 12;
/** Compressions by runs of equal pixels. */
const PACKED: ReadonlySet<number> = new Set([1, 2]);

/** Returns whether a file begins as a bitmap of Windows (BMP). No text does: four bytes are zero. */
export const isBitmap = (bytes: Uint8Array): boolean =>
  bytes.length >= 10 && viewOf(bytes).getUint16(0) === 0x424d && viewOf(bytes).getUint32(6) === 0;

/**
 * Decodes a bitmap into red, green, blue and opacity of its pixels.
 * @throws ExtractionError if it has more pixels; Error if it is damaged
 */
export async function decodeBitmap(bytes: Uint8Array, maxPixels: number) {
  const { pixels, length } = measuresOf(viewOf(bytes));
  if (pixels > maxPixels) throw tooManyPixels(maxPixels);
  // The decoder leaves out what is missing.
  if (length > bytes.length) throw new Error('The bitmap is cut off');
  const { createCanvas, loadImage } = await import('@napi-rs/canvas');
  const image = await loadImage(bytes);
  const { width, height } = image;
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  // A copy: its memory ends with the canvas.
  return { data: Buffer.from(canvas.data()), width, height };
}

/** Returns the number of pixels, and the least length of the file: of packed pixels it is not known. */
function measuresOf(view: DataView): { readonly pixels: number; readonly length: number } {
  const isCore = view.getUint32(HEADER, true) === CORE_SIZE;
  const width = isCore ? view.getUint16(18, true) : Math.abs(view.getInt32(18, true));
  const height = isCore ? view.getUint16(20, true) : Math.abs(view.getInt32(22, true));
  const bits = view.getUint16(isCore ? 24 : 28, true);
  const isPacked = !isCore && PACKED.has(view.getUint32(30, true));
  // Rows end on four bytes.
  const rows = isPacked ? 0 : Math.ceil((width * bits) / 32) * 4 * height;
  return { pixels: width * height, length: view.getUint32(10, true) + rows };
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const tooManyPixels = (most: number) => tooLarge(`The picture has more than ${most} pixels`);
