import { type Picture, reduce } from './picture.ts';

/** How the lines of text lie in a picture. */
export interface Slant {
  /** Lines run from top to bottom or the other way: the picture is turned by a quarter. */
  readonly isSideways: boolean;
  /** Degrees by which the lines descend to the right, once a picture that is sideways was turned clockwise by a quarter. */
  readonly degrees: number;
}

const SIDE = 1_000;
/** Largest slant that is looked for, and the steps. Degrees. */
const MAX_SLANT = 12;
const COARSE = 0.5;
const FINE = 0.1;
/** How much sharper the lines of a picture are in the other direction, if it is sideways. */
const SIDEWAYS = 1.5;
/** Smaller slants are read as they are. Degrees. */
const LEAST_SLANT = 0.4;
/** Ink that counts, in grey levels below the ground. */
const LEAST_INK = 40;

/**
 * Finds how lines of text lie, by the direction in which the sums of ink along lines differ the most. Null: the picture
 * is blank.
 */
export async function slantOf(picture: Picture): Promise<Slant | null> {
  const points = inkOf(await reduce(picture, SIDE));
  if (points.ink.length === 0) return null;
  const across = bestOf(points, false);
  const down = bestOf(points, true);
  const isSideways = down.sharpness > across.sharpness * SIDEWAYS;
  const { degrees } = isSideways ? down : across;
  return { isSideways, degrees: Math.abs(degrees) < LEAST_SLANT ? 0 : degrees };
}

interface Points {
  readonly x: Int16Array;
  readonly y: Int16Array;
  readonly ink: Uint8Array;
  /** Longest distance of two points. */
  readonly span: number;
}

function inkOf({ data, width, height }: Picture): Points {
  const ground = medianOf(data);
  const found: number[] = [];
  for (let i = 0; i < data.length; i++) if (ground - (data[i] as number) >= LEAST_INK) found.push(i);
  return {
    x: Int16Array.from(found, (i) => i % width),
    y: Int16Array.from(found, (i) => Math.floor(i / width)),
    ink: Uint8Array.from(found, (i) => ground - (data[i] as number)),
    span: width + height,
  };
}

function medianOf(data: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const value of data) counts[value] = (counts[value] as number) + 1;
  let seen = 0;
  return counts.findIndex((count) => {
    seen += count;
    return seen * 2 >= data.length;
  });
}

interface Direction {
  readonly degrees: number;
  readonly sharpness: number;
}

function bestOf(points: Points, isSideways: boolean): Direction {
  const at = (degrees: number): Direction => ({ degrees, sharpness: sharpnessOf(points, degrees, isSideways) });
  const search = (from: number, to: number, step: number): Direction => {
    let best = at(from);
    for (let degrees = from + step; degrees <= to + step / 2; degrees += step) {
      const next = at(degrees);
      if (next.sharpness > best.sharpness) best = next;
    }
    return best;
  };
  const { degrees } = search(-MAX_SLANT, MAX_SLANT, COARSE);
  return search(degrees - COARSE, degrees + COARSE, FINE);
}

/** How much the sums of ink along lines of this direction differ from one line to the next. */
function sharpnessOf({ x, y, ink, span }: Points, degrees: number, isSideways: boolean): number {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const sums = new Float64Array(span * 2 + 2);
  for (let i = 0; i < ink.length; i++) {
    // Turned clockwise by a quarter, a point is at (-y, x).
    const across = isSideways ? -(y[i] as number) : (x[i] as number);
    const down = isSideways ? (x[i] as number) : (y[i] as number);
    const line = Math.round(down * cos - across * sin) + span;
    sums[line] = (sums[line] as number) + (ink[i] as number);
  }
  let sharpness = 0;
  for (let i = 1; i < sums.length; i++) sharpness += ((sums[i] as number) - (sums[i - 1] as number)) ** 2;
  return sharpness;
}

/** Returns where the most ink is within a window of so many rows: its first row. */
export function densestRows({ data, width, height }: Picture, window: number): number {
  const ground = medianOf(data);
  const sums = new Float64Array(height);
  for (let i = 0; i < data.length; i++) {
    const ink = ground - (data[i] as number);
    const row = Math.floor(i / width);
    if (ink >= LEAST_INK) sums[row] = (sums[row] as number) + ink;
  }
  let sum = 0;
  let [best, top] = [-1, 0];
  for (let row = 0; row < height; row++) {
    sum += (sums[row] as number) - (row >= window ? (sums[row - window] as number) : 0);
    if (row >= window - 1 && sum > best) [best, top] = [sum, row - window + 1];
  }
  return top;
}
