import { bordersOf, differenceFromMix } from './borders.ts';
import { difference, type Ground, groundsOf } from './grounds.ts';
import { type ColourPicture, type Picture, reduce, withoutColours } from './picture.ts';

/** Longest side of the picture in which grounds are looked for, in pixels. */
const SIDE = 1_200;
/** Mean grey level of a picture of white letters on a dark ground. */
const DARK = 100;
/** Faint letters are strengthened at most so many times. */
const MAX_GAIN = 4;

/**
 * Makes a picture grey, and its letters dark on white: on each ground of one colour for itself, if there is a dark one,
 * else as a whole.
 */
export async function darkOnWhite(picture: ColourPicture): Promise<Picture> {
  const grey = await greyOf(picture);
  const reduced = await reduce(picture, SIDE);
  const grounds = groundsOf(reduced);
  if (grounds === null) return grey;
  const { list, indices } = grounds;
  const others = bordersOf(indices, reduced.width);
  const { data, width, height } = picture;
  const greys = list.map(greysOf);
  const columns = Int32Array.from({ length: width }, (_, x) => Math.floor((x * reduced.width) / width));
  for (let y = 0, pixel = 0; y < height; y++) {
    const row = Math.floor((y * reduced.height) / height) * reduced.width;
    for (let x = 0; x < width; x++, pixel++) {
      const place = row + (columns[x] as number);
      const index = indices[place] as number;
      if (index < 0) continue;
      const { colour } = list[index] as Ground;
      const other = list[others[place] as number];
      const level = other ? differenceFromMix(data, pixel, colour, other.colour) : difference(data, pixel, colour);
      grey.data[pixel] = (greys[index] as Uint8Array)[level] as number;
    }
  }
  return grey;
}

/** Returns the grey level for each difference from the colour of a ground. */
function greysOf({ contrast }: Ground): Uint8Array {
  const gain = Math.min(MAX_GAIN, 255 / contrast);
  return Uint8Array.from({ length: 256 }, (_, difference) => 255 - Math.min(255, Math.round(difference * gain)));
}

/** Returns the brightness of a picture, inverted if most of it is dark. */
async function greyOf(picture: ColourPicture): Promise<Picture> {
  const { data, ...size } = await withoutColours(picture);
  let sum = 0;
  for (const level of data) sum += level;
  return { ...size, data: sum < DARK * data.length ? data.map((level) => 255 - level) : data };
}
