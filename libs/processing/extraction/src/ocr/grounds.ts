import { areasOf, type Colour, grow, INK, isLight, SAME } from './areas.ts';
import { groundsAmong } from './ground-evidence.ts';
import type { ColourPicture } from './picture.ts';

/** An area of one colour that letters stand on. */
export interface Ground {
  readonly colour: Colour;
  /** How much the strokes of its letters differ from it in a channel. */
  readonly contrast: number;
}

export interface Grounds {
  readonly list: readonly Ground[];
  /** For each pixel, row by row, the index of its ground. Negative: none, as in a photo. */
  readonly indices: Int32Array;
}

/** Larger connected parts between grounds, as a share of the picture, are photos and not letters. */
const MAX_LETTER = 0.05;
/** Share of the pixels of letters that are fainter than their strokes: edges. */
const EDGES = 0.95;

const PHOTO = -3;
const LETTER = -4;

/**
 * Finds the grounds on which letters stand. Time and memory are linear in the size of the picture.
 * @returns null if none is dark
 */
export function groundsOf(picture: ColourPicture): Grounds | null {
  const { width } = picture;
  const queue = new Int32Array(picture.width * picture.height);
  const found = areasOf(picture, queue);
  if (found === null) return null;
  const isGround = groundsAmong(found, picture);
  const colours: Colour[] = [];
  const indexOf = found.areas.map(({ colour }, label) => (isGround(label) ? colours.push(colour) - 1 : INK));
  if (colours.every(isLight)) return null;
  const indices = found.labels;
  for (let pixel = 0; pixel < indices.length; pixel++) {
    indices[pixel] = indexOf[indices[pixel] as number] ?? INK;
  }
  leavePhotos(indices, width, queue);
  spread(indices, width, queue);
  return { list: withContrast(colours, indices, picture), indices };
}

/** Returns the largest difference of a pixel from a colour in a channel. */
export function difference(data: Uint8Array, pixel: number, colour: Colour): number {
  const red = Math.abs((data[pixel * 3] as number) - colour[0]);
  const green = Math.abs((data[pixel * 3 + 1] as number) - colour[1]);
  return Math.max(red, green, Math.abs((data[pixel * 3 + 2] as number) - colour[2]));
}

/** Marks what is too large for letters. */
function leavePhotos(indices: Int32Array, width: number, queue: Int32Array): void {
  for (let start = 0; start < indices.length; start++) {
    if (indices[start] !== INK) continue;
    const take = (pixel: number): boolean => {
      if (indices[pixel] !== INK) return false;
      indices[pixel] = LETTER;
      return true;
    };
    take(start);
    queue[0] = start;
    const size = grow(queue, 1, width, take);
    if (size > MAX_LETTER * indices.length) for (let i = 0; i < size; i++) indices[queue[i] as number] = PHOTO;
  }
}

/** Gives letters the ground that is nearest to them. */
function spread(indices: Int32Array, width: number, queue: Int32Array): void {
  let queued = 0;
  for (let pixel = 0; pixel < indices.length; pixel++) {
    if ((indices[pixel] as number) >= 0) queue[queued++] = pixel;
  }
  grow(queue, queued, width, (pixel, from) => {
    if (indices[pixel] !== LETTER) return false;
    indices[pixel] = indices[from] as number;
    return true;
  });
}

function withContrast(colours: readonly Colour[], indices: Int32Array, { data }: ColourPicture): readonly Ground[] {
  const counts = colours.map(() => new Uint32Array(256));
  for (let pixel = 0; pixel < indices.length; pixel++) {
    const index = indices[pixel] as number;
    if (index < 0) continue;
    const contrast = difference(data, pixel, colours[index] as Colour);
    const ofGround = counts[index] as Uint32Array;
    if (contrast > SAME) ofGround[contrast] = (ofGround[contrast] as number) + 1;
  }
  return colours.map((colour, index) => ({ colour, contrast: strokesOf(counts[index] as Uint32Array) }));
}

/** Returns the contrast of strokes, from the numbers of pixels by their contrast. */
function strokesOf(counts: Uint32Array): number {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return 255;
  let seen = 0;
  return counts.findIndex((count) => {
    seen += count;
    return seen >= EDGES * all;
  });
}
