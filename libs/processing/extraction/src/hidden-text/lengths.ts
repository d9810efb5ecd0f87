/** Pixels of a unit, for text of 16 pixels and a window of 1,280 by 720. A percent counts as one of the width. */
const PIXELS: Readonly<Record<string, number>> = {
  ...{ '': 1, px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 37.8, mm: 3.78, q: 0.945 },
  ...{ em: 16, rem: 16, ex: 8, ch: 8, lh: 20, rlh: 20 },
  ...{ vw: 12.8, vh: 7.2, vi: 12.8, vb: 7.2, vmin: 7.2, vmax: 12.8, '%': 12.8 },
};
const LENGTH = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|[a-z]*)$/;

export interface Length {
  readonly number: number;
  /** In lower case; empty: none. */
  readonly unit: string;
}

/** Reads a length or percentage. Null: it is none, or one that only a browser can compute. */
export function lengthOf(value: string): Length | null {
  const [, number, unit = ''] = LENGTH.exec(value) ?? [];
  return number === undefined || PIXELS[unit] === undefined ? null : { number: Number(number), unit };
}

/** Returns about how many pixels a length has. Null as above. */
export function pixelsOf(value: string): number | null {
  const length = lengthOf(value);
  return length === null ? null : length.number * (PIXELS[length.unit] as number);
}
