import { darkOnWhite } from '../ocr/dark-on-white.ts';
import { opaque } from '../ocr/opaque.ts';
import { MAX_SIDE, type Picture } from '../ocr/picture.ts';
import type { Operations, PdfPage } from './parser.ts';

/** Pixels an inch at which a page is drawn to be read, and points an inch. */
const DPI = 200;
const POINTS = 72;
/** A page on which pictures cover this share, or on which so many shapes are drawn, may show text. */
const COVERED = 0.4;
const SHAPES = 200;

/** Draws a page at 200 dpi, or as large as a picture is read, with letters dark on white. */
export async function drawnPage(page: PdfPage): Promise<Picture> {
  const { createCanvas } = await import('@napi-rs/canvas');
  const { width: inPoints, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(DPI / POINTS, MAX_SIDE / Math.max(inPoints, height));
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(Math.max(1, Math.ceil(viewport.width)), Math.max(1, Math.ceil(viewport.height)));
  // The declared type is that of a browser.
  const target = canvas as unknown as Parameters<PdfPage['render']>[0]['canvas'];
  await page.render({ canvas: target, viewport, background: '#fff' }).promise;
  return darkOnWhite({ data: opaque(canvas.data()), width: canvas.width, height: canvas.height, channels: 3 });
}

type Matrix = readonly [number, number, number, number];

/** Whether a page is mostly a picture, or letters are drawn on it as shapes. */
export async function mayShowText(page: PdfPage, operations: Operations): Promise<boolean> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const { width, height } = page.getViewport({ scale: 1 });
  const pictures = new Set([
    operations.paintImageXObject,
    operations.paintImageMaskXObject,
    operations.paintInlineImageXObject,
  ]);
  const saved: Matrix[] = [];
  let matrix: Matrix = [1, 0, 0, 1];
  let covered = 0;
  let shapes = 0;
  for (const [i, operation] of fnArray.entries()) {
    if (operation === operations.save) saved.push(matrix);
    else if (operation === operations.restore) matrix = saved.pop() ?? [1, 0, 0, 1];
    else if (operation === operations.transform) matrix = product(matrix, argsArray[i] as Matrix);
    else if (operation === operations.constructPath) shapes += 1;
    else if (pictures.has(operation)) covered += Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]);
  }
  return covered >= COVERED * width * height || shapes >= SHAPES;
}

/** Without the places, which do not change the size. */
const product = ([a, b, c, d]: Matrix, [e, f, g, h]: Matrix): Matrix => [
  a * e + c * f,
  b * e + d * f,
  a * g + c * h,
  b * g + d * h,
];
