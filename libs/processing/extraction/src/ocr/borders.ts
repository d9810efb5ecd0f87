import type { Colour } from './areas.ts';

/** Where two grounds meet, their colours mix within so many pixels. */
const MIXED = 2;

/**
 * Finds the pixels near the border of two grounds.
 * @param indices for each pixel, row by row, the index of its ground; negative: none
 * @returns for each pixel the index of the other ground; -1: none is near
 */
export function bordersOf(indices: Int32Array, width: number): Int32Array {
  const others = new Int32Array(indices.length).fill(-1);
  const meet = (pixel: number, one: number, other: number) => {
    for (let row = -MIXED; row <= MIXED; row++) {
      for (let column = -MIXED; column <= MIXED; column++) {
        const near = pixel + row * width + column;
        if (indices[near] === one) others[near] = other;
        else if (indices[near] === other) others[near] = one;
      }
    }
  };
  for (let pixel = 0; pixel < indices.length; pixel++) {
    const one = indices[pixel] as number;
    const right = pixel % width < width - 1 ? (indices[pixel + 1] as number) : one;
    const below = indices[pixel + width] ?? one;
    if (one < 0) continue;
    if (right >= 0 && right !== one) meet(pixel, one, right);
    if (below >= 0 && below !== one) meet(pixel, one, below);
  }
  return others;
}

/** Returns the largest difference of a pixel, in a channel, from what two colours mix to. */
export function differenceFromMix(data: Uint8Array, pixel: number, one: Colour, other: Colour): number {
  const red = (data[pixel * 3] as number) - one[0];
  const green = (data[pixel * 3 + 1] as number) - one[1];
  const blue = (data[pixel * 3 + 2] as number) - one[2];
  const toRed = other[0] - one[0];
  const toGreen = other[1] - one[1];
  const toBlue = other[2] - one[2];
  const length = toRed * toRed + toGreen * toGreen + toBlue * toBlue;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, (red * toRed + green * toGreen + blue * toBlue) / length));
  const most = Math.max(
    Math.abs(red - share * toRed),
    Math.abs(green - share * toGreen),
    Math.abs(blue - share * toBlue),
  );
  return Math.round(most);
}
