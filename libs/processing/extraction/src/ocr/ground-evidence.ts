import { type Area, type Areas, INK } from './areas.ts';
import type { ColourPicture } from './picture.ts';

/** An area of this share of the picture may be a ground, whatever stands on it. */
const LARGE = 0.1;
/** A smaller area may be a ground, and not a letter, if letters interrupt at least this many of its rows so many times. */
const MIN_ROWS = 3;
const MIN_GAPS = 3;
/** Pixels within which a letter differs from its ground in full. */
const EDGE = 3;
/** Least mean difference across that edge in a channel, alone and as a multiple of the difference of neighbours in the area. */
const MIN_STEP = 50;
const MIN_RATIO = 25;

/** Tells which areas are grounds of letters, and not letters or areas of a photo. */
export function groundsAmong({ areas, labels }: Areas, picture: ColourPicture): (label: number) => boolean {
  const rows = interruptedRows(labels, areas, picture.width);
  const isSharp = sharpAreas(labels, areas.length, picture);
  return (label) => {
    const holdsLetters = (areas[label] as Area).size >= LARGE * labels.length || (rows[label] as number) >= MIN_ROWS;
    return holdsLetters && isSharp(label);
  };
}

/**
 * Counts for each area the rows in which letters interrupt it. A larger area between two parts of it is no letter: between
 * the strokes of a large letter lies the ground.
 */
function interruptedRows(labels: Int32Array, areas: readonly Area[], width: number): Int32Array {
  const rows = new Int32Array(areas.length);
  const gaps = new Int32Array(areas.length);
  const sizeOf = (label: number | undefined) => areas[label ?? INK]?.size ?? Number.POSITIVE_INFINITY;
  for (let start = 0; start < labels.length; start += width) {
    // Areas that may continue in this row: each is smaller than those before it.
    const open: number[] = [];
    let previous = INK;
    for (let i = start; i < start + width; i++) {
      const label = labels[i] as number;
      if (label === previous) continue;
      previous = label;
      if (label === INK) continue;
      while (open.length > 0 && open.at(-1) !== label && sizeOf(open.at(-1)) <= sizeOf(label)) open.pop();
      if (open.at(-1) === label) {
        gaps[label] = (gaps[label] as number) + 1;
        if (gaps[label] === MIN_GAPS) rows[label] = (rows[label] as number) + 1;
      } else {
        open.push(label);
        gaps[label] = 0;
      }
    }
  }
  return rows;
}

/** Tells which areas are even and end abruptly, as grounds with letters do, and areas of a photo do not. */
function sharpAreas(labels: Int32Array, areas: number, { data, width }: ColourPicture): (label: number) => boolean {
  const inside = { pairs: new Uint32Array(areas), sums: new Float64Array(areas) };
  const edges = { pairs: new Uint32Array(areas), sums: new Float64Array(areas) };
  for (let pixel = 0; pixel < labels.length; pixel++) {
    const label = labels[pixel] as number;
    if (label < 0 || (pixel % width) + EDGE >= width) continue;
    const isInside = labels[pixel + 1] === label;
    const { pairs, sums } = isInside ? inside : edges;
    pairs[label] = (pairs[label] as number) + 1;
    sums[label] = (sums[label] as number) + step(data, pixel, pixel + (isInside ? 1 : EDGE));
  }
  const mean = ({ pairs, sums }: typeof inside, label: number) => (sums[label] as number) / (pairs[label] || 1);
  return (label) => mean(edges, label) >= Math.max(MIN_STEP, MIN_RATIO * mean(inside, label));
}

/** Returns the largest difference of two pixels in a channel. */
function step(data: Uint8Array, one: number, other: number): number {
  const red = Math.abs((data[one * 3] as number) - (data[other * 3] as number));
  const green = Math.abs((data[one * 3 + 1] as number) - (data[other * 3 + 1] as number));
  return Math.max(red, green, Math.abs((data[one * 3 + 2] as number) - (data[other * 3 + 2] as number)));
}
