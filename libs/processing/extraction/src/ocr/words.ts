import type { Piece } from '../pdf/lines.ts';

/** What was recognized in a picture. */
export interface Reading {
  /** Mean confidence of its words by their length, 0 to 100. */
  readonly confidence: number;
  /** Parts of lines, in pixels; y grows upwards. */
  readonly pieces: readonly Piece[];
}

interface Word {
  readonly text: string;
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Confidence, 0 to 100, from which on a word, a line, and one word of a picture at least, are text and not a pattern. */
const MIN_WORD = 20;
const MIN_LINE = 55;
const MIN_BEST = 70;
/** A gap of this many line heights divides a line into pieces. */
const GAP = 1.5;
/** Lines whose heights differ less from the usual one are of the usual size: letters without ascenders look smaller. */
const [SMALLER, LARGER] = [0.6, 1.5];

/** Returns the text of a table of words in Tesseract's form. */
export function readingOf(tsv: string): Reading {
  const lines = linesOf(tsv);
  const words = lines.flat();
  const confidence = meanOf(words);
  const kept = lines
    .filter((line) => meanOf(line) >= MIN_LINE && line.some(({ text }) => /[\p{L}\p{N}]/u.test(text)))
    .map((line) => line.filter((word) => word.confidence >= MIN_WORD));
  if (!kept.flat().some(isCertain)) return { confidence, pieces: [] };
  const heights = kept.map(heightOf).sort((a, b) => a - b);
  const usual = heights[heights.length >> 1] as number;
  return { confidence, pieces: kept.flatMap((line) => piecesOf(line, usual)) };
}

const isCertain = ({ text, confidence }: Word): boolean => confidence >= MIN_BEST && /[\p{L}\p{N}]{2}/u.test(text);

function linesOf(tsv: string): Word[][] {
  const lines = new Map<string, Word[]>();
  for (const row of tsv.split('\n')) {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, text = ''] = row.split('\t');
    if (level !== '5' || text.trim() === '') continue;
    const key = [page, block, paragraph, line].join(' ');
    const word = { text, confidence: Number(confidence), left: Number(left), top: Number(top) };
    const words = lines.get(key) ?? [];
    words.push({ ...word, width: Number(width), height: Number(height) });
    lines.set(key, words);
  }
  return [...lines.values()];
}

function meanOf(words: readonly Word[]): number {
  let [sum, length] = [0, 0];
  for (const { text, confidence } of words) {
    sum += confidence * text.length;
    length += text.length;
  }
  return length === 0 ? 0 : sum / length;
}

const topOf = (words: readonly Word[]): number => Math.min(...words.map(({ top }) => top));
const bottomOf = (words: readonly Word[]): number => Math.max(...words.map(({ top, height }) => top + height));
const heightOf = (words: readonly Word[]): number => bottomOf(words) - topOf(words);

function piecesOf(line: readonly Word[], usual: number): readonly Piece[] {
  const height = heightOf(line);
  const size = height > usual * SMALLER && height < usual * LARGER ? usual : height;
  const y = -(topOf(line) + bottomOf(line)) / 2;
  const pieces: { text: string; x: number; y: number; width: number; size: number; quarters: number }[] = [];
  for (const { text, left, width } of line) {
    const last = pieces.at(-1);
    if (last !== undefined && left - (last.x + last.width) < size * GAP) {
      last.text += ` ${text}`;
      last.width = left + width - last.x;
    } else pieces.push({ text, x: left, y, width, size, quarters: 0 });
  }
  return pieces;
}
