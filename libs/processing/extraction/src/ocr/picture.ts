import type { Sharp } from 'sharp';
import { loadSharp } from './sharp.ts';

/** Grey levels of the pixels, row by row: 0 is black. */
export interface Picture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels?: 1;
}

/** Red, green and blue of the pixels, row by row. */
export interface ColourPicture extends Omit<Picture, 'channels'> {
  readonly channels: 3;
}

/** Longest side of a picture that is read, in pixels: A4 at 300 dpi fits. Larger ones are reduced. */
export const MAX_SIDE = 3_600;
const WHITE = { r: 255, g: 255, b: 255 };

/** Turns a picture clockwise; what is beside it then is white. */
export async function turn({ data, width, height }: Picture, degrees: number): Promise<Picture> {
  if (degrees === 0) return { data, width, height };
  const sharp = await loadSharp();
  return pixelsOf(
    sharp(data, { raw: { width, height, channels: 1 } })
      .rotate(degrees, { background: WHITE })
      .extractChannel(0),
  );
}

/** Reduces a picture until its longest side has so many pixels. */
export async function reduce<P extends Picture | ColourPicture>(picture: P, side: number): Promise<P> {
  const { width, height } = picture;
  const scale = side / Math.max(width, height);
  return scale >= 1 ? picture : resize(picture, Math.max(1, Math.round(width * scale)));
}

export async function resize<P extends Picture | ColourPicture>(picture: P, width: number): Promise<P> {
  const { data, channels = 1, ...size } = picture;
  const sharp = await loadSharp();
  const resized = sharp(data, { raw: { width: size.width, height: size.height, channels } }).resize({ width });
  return { ...picture, ...(await pixelsOf(channels === 1 ? resized.extractChannel(0) : resized)) };
}

/** Returns the brightness of the pixels. */
export async function withoutColours({ data, width, height, channels }: ColourPicture): Promise<Picture> {
  const sharp = await loadSharp();
  return pixelsOf(sharp(data, { raw: { width, height, channels } }).greyscale());
}

async function pixelsOf(image: Sharp): Promise<Picture> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Returns the rows from `top` on. */
export const rowsOf = ({ data, width }: Picture, top: number, height: number): Picture => ({
  data: data.subarray(top * width, (top + height) * width),
  width,
  height,
});
