import type { ColourPicture } from './picture.ts';

export type Colour = readonly [red: number, green: number, blue: number];

/** A connected part of a picture in one colour. */
export interface Area {
  readonly colour: Colour;
  /** Pixels. */
  readonly size: number;
}

export interface Areas {
  readonly areas: readonly Area[];
  /** For each pixel, row by row, the index of its area, or `INK`. */
  readonly labels: Int32Array;
}

/** A colour with a channel below this level is dark. */
const LIGHT = 200;
/** Largest difference of a pixel from the mean colour of its area, in a channel. */
export const SAME = 24;
/** Smaller areas are parts of letters. Pixels. */
const MIN_AREA = 600;

/** Label of what is in no area. */
export const INK = -1;
const UNSEEN = -2;

/**
 * Divides a picture into areas and ink: what is too small for an area.
 * @param queue as long as the picture has pixels
 * @returns null if no area is dark
 */
export function areasOf({ data, width }: ColourPicture, queue: Int32Array): Areas | null {
  const labels = new Int32Array(queue.length).fill(UNSEEN);
  const areas: Area[] = [];
  let count = 0;
  let red = 0;
  let green = 0;
  let blue = 0;
  const take = (pixel: number): boolean => {
    if (labels[pixel] !== UNSEEN) return false;
    const r = data[pixel * 3] as number;
    const g = data[pixel * 3 + 1] as number;
    const b = data[pixel * 3 + 2] as number;
    const limit = SAME * count;
    if (Math.abs(r * count - red) > limit || Math.abs(g * count - green) > limit) return false;
    if (Math.abs(b * count - blue) > limit) return false;
    labels[pixel] = areas.length;
    count += 1;
    red += r;
    green += g;
    blue += b;
    return true;
  };
  const addFrom = (start: number): void => {
    count = 0;
    red = 0;
    green = 0;
    blue = 0;
    take(start);
    queue[0] = start;
    const size = grow(queue, 1, width, take);
    if (size >= MIN_AREA) {
      areas.push({ colour: [Math.round(red / size), Math.round(green / size), Math.round(blue / size)], size });
    } else for (let i = 0; i < size; i++) labels[queue[i] as number] = INK;
  };
  for (let pixel = 0; pixel < labels.length; pixel++) {
    if (labels[pixel] === UNSEEN && isDark(data, pixel)) addFrom(pixel);
  }
  if (areas.length === 0) return null;
  for (let pixel = 0; pixel < labels.length; pixel++) if (labels[pixel] === UNSEEN) addFrom(pixel);
  return { labels, areas };
}

export const isLight = (colour: Colour): boolean => Math.min(...colour) >= LIGHT;

const isDark = (data: Uint8Array, pixel: number): boolean =>
  (data[pixel * 3] as number) < LIGHT ||
  (data[pixel * 3 + 1] as number) < LIGHT ||
  (data[pixel * 3 + 2] as number) < LIGHT;

/**
 * Takes the neighbours of queued pixels, and theirs, as long as `take` accepts them.
 * @returns the number of pixels in the queue
 */
export function grow(
  queue: Int32Array,
  queued: number,
  width: number,
  take: (pixel: number, from: number) => boolean,
): number {
  let end = queued;
  for (let next = 0; next < end; next++) {
    const pixel = queue[next] as number;
    const column = pixel % width;
    if (column > 0 && take(pixel - 1, pixel)) queue[end++] = pixel - 1;
    if (column < width - 1 && take(pixel + 1, pixel)) queue[end++] = pixel + 1;
    if (pixel >= width && take(pixel - width, pixel)) queue[end++] = pixel - width;
    if (pixel + width < queue.length && take(pixel + width, pixel)) queue[end++] = pixel + width;
  }
  return end;
}
