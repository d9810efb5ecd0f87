import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import sharp, { type Sharp } from 'sharp';

/** Makes pictures of pages for specs, with a font that a package brings, so that they look the same on every machine. */

const FONT = 'Specimen';
const fontFile = new URL('../../', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs'));

interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  /** Size of the letters, pixels. */
  readonly size?: number;
  readonly left?: number;
  readonly top?: number;
  readonly ground?: string;
  readonly ink?: string;
}

/** A4 at 200 dpi, unless told otherwise, with lines of text. */
export function pageOf(lines: readonly string[], options: PageOptions = {}): Sharp {
  const { width = 1_654, height = 2_339, size = 30, left = 140, top = 150, ground = '#fff', ink = '#111' } = options;
  if (!GlobalFonts.has(FONT)) {
    GlobalFonts.registerFromPath(
      decodeURIComponent(new URL('standard_fonts/LiberationSans-Regular.ttf', fontFile).pathname),
      FONT,
    );
  }
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
  context.fillStyle = ink;
  context.font = `${size}px ${FONT}`;
  for (const [i, line] of lines.entries()) context.fillText(line, left, top + i * size * 1.5);
  // A copy: its memory is that of the canvas, which ends before the picture is made.
  return sharp(Buffer.from(canvas.data()), { raw: { width, height, channels: 4 } });
}

/** A scan of a page: grey, with noise, turned clockwise. The same at every call. */
export async function scanOf(page: Sharp, degrees: number): Promise<Buffer> {
  const { data, info } = await page
    .flatten()
    .rotate(degrees, { background: '#fff' })
    .greyscale()
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const random = numbersFrom(7);
  for (let i = 0; i < data.length; i++) {
    const noise = (random() + random() + random() - 1.5) * 60;
    data[i] = Math.max(0, Math.min(255, 20 + (data[i] as number) * 0.8 + noise));
  }
  const { width, height } = info;
  return sharp(data, { raw: { width, height, channels: 1 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

const WORDS =
  'the goat keeper writes down depth of water in morning and evening sluice got an oak beam bolt ferry rope yearly report weir mill basin wheel between rests turns twice day tide paper market seven houses river bridge winter light garden stone copper lantern harbour captain'.split(
    ' ',
  );

/** Lines of words, of at most 80 characters. The same at every call. */
export function proseLines(count: number): readonly string[] {
  const random = numbersFrom(1);
  return Array.from({ length: count }, () => {
    let line = '';
    for (;;) {
      const word = WORDS[Math.floor(random() * WORDS.length)] as string;
      if (line.length + word.length + 1 > 80) return line;
      line += line === '' ? word : ` ${word}`;
    }
  });
}

/** Share of the words of the lines that a text holds in the same order. */
export function wordAccuracy(lines: readonly string[], text: string): number {
  const wanted = lines.join(' ').split(' ');
  const found = text.split(/\s+/);
  // The longest common subsequence, row by row.
  let before = new Uint32Array(found.length + 1);
  for (const word of wanted) {
    const row = new Uint32Array(found.length + 1);
    for (let i = 0; i < found.length; i++) {
      row[i + 1] = found[i] === word ? (before[i] as number) + 1 : Math.max(before[i + 1] as number, row[i] as number);
    }
    before = row;
  }
  return (before[found.length] as number) / wanted.length;
}

/** Numbers from 0 to 1, the same at every call. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
