/** Where letters stand, as a reader holds the page for whom they run from left to right. y grows upwards. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Quarters by which the letters are turned counterclockwise. */
  readonly quarters: number;
}

/** `[a, b, c, d, x, y]` */
export type Matrix = readonly number[];

/** @param runsDown the letters of the font stand below each other */
export function placeOf([a = 1, b = 0, , d = 1, x = 0, y = 0]: Matrix, runsDown = false): Place {
  const quarters = runsDown ? 3 : Math.round(Math.atan2(b, a) / (Math.PI / 2)) & 3;
  return { ...turned(x, y, quarters), size: Math.hypot(a, b) || Math.abs(d) || 1, quarters };
}

/** A point of the page, for text that is turned by so many quarters. */
export function turned(x: number, y: number, quarters: number): { readonly x: number; readonly y: number } {
  if (quarters === 1) return { x: y, y: -x };
  if (quarters === 2) return { x: -x, y: -y };
  if (quarters === 3) return { x: -y, y: x };
  return { x, y };
}
