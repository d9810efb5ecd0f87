import { drawnOnce } from './drawn-twice.ts';
import type { Glyph } from './glyphs.ts';
import type { Piece } from './lines.ts';
import type { Place } from './place.ts';
import { hasRightToLeft } from './right-to-left.ts';

/** Forms of letters at the beginning, in the middle and at the end of a word, and signs for several letters. */
const FORMS = /[\ufb1d-\ufdff\ufe80-\ufefc]/g;
/** Places in a text by which a sign may be further away than its letters say, because accents stand at the same place. */
const NEAR = 3;

/**
 * Returns the pieces with plain letters instead of their forms. The parser turns around the letters of a sign that stands for
 * several, such as lam with alef, because it takes them for letters that are drawn from left to right.
 */
export function withPlainLetters(pieces: readonly Piece[], glyphs: readonly Glyph[]): readonly Piece[] {
  const drawn = byPiece(pieces, glyphs);
  return pieces.map((piece) => {
    if (!hasRightToLeft(piece.text)) return piece;
    return { ...piece, text: plain(withSigns(piece.text, drawn.get(piece) ?? [])) };
  });
}

const plain = (text: string): string => text.replace(FORMS, (form) => form.normalize('NFKC'));

/** @param glyphs of the text */
function withSigns(text: string, glyphs: Glyph[]): string {
  const characters = [...text];
  // The parser keeps some signs as they are.
  const kept = new Set(characters);
  const letters = glyphs
    .sort((a, b) => b.x - a.x)
    .map((glyph) => glyph.text.replace(/\s/g, ''))
    .map((form) => (kept.has(form) ? form : plain(form)));
  if (!letters.some(isSign)) return text;
  const places = characters.flatMap((character, i) => (/\s/.test(character) ? [] : [i]));
  let before = 0;
  for (const sign of letters) {
    const length = [...sign].length;
    if (isSign(sign)) {
      const turned = [...sign].reverse().join('');
      const start = [...Array(2 * NEAR + 1).keys()]
        .map((i) => before + (i & 1 ? -((i + 1) >> 1) : i >> 1))
        .find((from) => from >= 0 && wordsAt(characters, places, from, length) === turned);
      if (start !== undefined) {
        for (const [i, letter] of [...sign].entries()) characters[places[start + i] as number] = letter;
      }
    }
    before += length;
  }
  return characters.join('');
}

const isSign = (letters: string): boolean => letters.length > 1 && hasRightToLeft(letters);

const wordsAt = (characters: readonly string[], places: readonly number[], from: number, length: number): string =>
  places
    .slice(from, from + length)
    .map((place) => characters[place])
    .join('');

/** Returns the letters that each piece consists of. */
function byPiece(pieces: readonly Piece[], glyphs: readonly Glyph[]): ReadonlyMap<Piece, Glyph[]> {
  const lines = new Map<string, Piece[]>();
  for (const piece of [...pieces].sort((a, b) => a.x - b.x)) {
    const line = lines.get(lineOf(piece));
    if (line) line.push(piece);
    else lines.set(lineOf(piece), [piece]);
  }
  const drawn = new Map<Piece, Glyph[]>();
  for (const glyph of drawnOnce(glyphs)) {
    const middle = glyph.x + glyph.width / 2;
    const piece = [-0.1, 0.1]
      .map((up) => lastBefore(lines.get(lineOf({ ...glyph, y: glyph.y + up })) ?? [], middle))
      .find((one) => one !== undefined && middle <= one.x + one.width);
    if (piece === undefined) continue;
    const others = drawn.get(piece);
    if (others) others.push(glyph);
    else drawn.set(piece, [glyph]);
  }
  return drawn;
}

const lineOf = ({ quarters, y }: Place): string => `${quarters} ${Math.round(y)}`;

/** The last piece that begins before a place, of those of a line in their order. */
function lastBefore(line: readonly Piece[], x: number): Piece | undefined {
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((line[middle] as Piece).x <= x) low = middle + 1;
    else high = middle;
  }
  return line[low - 1];
}
