import { drawnOnce, overlap } from './drawn-twice.ts';
import type { Fonts } from './fonts.ts';
import { type Glyph, glyphsOf } from './glyphs.ts';
import { type Piece, SPACE } from './lines.ts';
import { hasNamelessWords, withoutControls } from './nameless.ts';
import type { Operations, PdfPage } from './parser.ts';
import { type Matrix, type Place, placeOf } from './place.ts';
import { withPlainLetters } from './plain-letters.ts';
import { hasRightToLeft } from './right-to-left.ts';

/** A piece of text as the parser gives it. */
interface TextItem {
  readonly str: string;
  readonly transform: Matrix;
  readonly width: number;
  readonly height: number;
  readonly fontName: string;
}

type Styles = Readonly<Record<string, { readonly vertical: boolean } | undefined>>;

const SOFT_HYPHEN = '\u00ad';

/** Gaps in sizes of the letters: within them letters belong to one piece. */
const MOST_GAP = 1;
const LEAST_GAP = -0.3;

export interface PagePieces {
  readonly pieces: readonly Piece[];
  /** Words of the page are drawn in a font that does not say which letters they are. */
  readonly isNameless: boolean;
}

/** Returns the text of a page in pieces: what is drawn twice once, and soft hyphens in their places. */
export async function piecesOf(page: PdfPage, operations: Operations, fonts: Fonts): Promise<PagePieces> {
  const { items, styles } = await page.getTextContent();
  const texts = items.filter((item) => 'str' in item);
  const pieces = await shownPieces(page, operations, fonts, { texts, styles });
  return { pieces, isNameless: hasNamelessWords(texts, fonts) };
}

async function shownPieces(
  page: PdfPage,
  operations: Operations,
  fonts: Fonts,
  { texts, styles }: { readonly texts: readonly TextItem[]; readonly styles: Styles },
): Promise<readonly Piece[]> {
  const pieces = drawnOnce(asPieces(texts, styles));
  const names = Object.keys(styles);
  // Letters that are written from right to left may be drawn in another order.
  const runsLeft = pieces.some(({ text }) => hasRightToLeft(text));
  const mayBeTwice = !runsLeft && names.every((name) => !styles[name]?.vertical) && overlap(pieces);
  const isKnown = names.every((name) => fonts.isKnown(name) && !fonts.hasSoftHyphen(name));
  if (!mayBeTwice && !runsLeft && isKnown) return pieces;
  const glyphs = await glyphsOf(page, operations);
  fonts.learn(page, names);
  if (runsLeft) return withSoftHyphens(withPlainLetters(pieces, glyphs), glyphs);
  if (mayBeTwice) {
    const once = drawnOnce(glyphs);
    if (once.length < glyphs.length) return joined(once);
  }
  return withSoftHyphens(pieces, glyphs);
}

/** Joins letters to pieces. */
function joined(glyphs: readonly Glyph[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let hasSpace = false;
  for (const glyph of glyphs) {
    if (glyph.text.trim() === '') {
      hasSpace = true;
      continue;
    }
    const text = withoutControls(glyph.text).replace(/[\ufb00-\ufb06]/g, (one) => one.normalize('NFKC'));
    const before = pieces.at(-1);
    const gap = before ? (glyph.x - before.x - before.width) / glyph.size : MOST_GAP;
    if (before && gap > LEAST_GAP && gap < MOST_GAP && isOnLineOf(before, glyph)) {
      const space = hasSpace || gap >= SPACE ? ' ' : '';
      const width = glyph.x + glyph.width - before.x;
      pieces[pieces.length - 1] = { ...before, text: before.text + space + text, width };
    } else pieces.push({ ...glyph, text });
    hasSpace = false;
  }
  return pieces;
}

const isOnLineOf = (one: Place, other: Place): boolean =>
  one.quarters === other.quarters &&
  Math.abs(one.y - other.y) < one.size * 0.1 &&
  Math.abs(one.size - other.size) < one.size * 0.1;

/** The parser leaves soft hyphens out. */
function withSoftHyphens(pieces: readonly Piece[], glyphs: readonly Glyph[]): readonly Piece[] {
  const hyphens = glyphs.filter(({ text }) => text === SOFT_HYPHEN);
  if (hyphens.length === 0) return pieces;
  return pieces.map((piece) => {
    const end = piece.x + piece.width;
    const isDivided = hyphens.some((one) => isOnLineOf(one, piece) && Math.abs(one.x - end) < one.size * -LEAST_GAP);
    return isDivided ? { ...piece, text: piece.text + SOFT_HYPHEN } : piece;
  });
}

function asPieces(items: readonly TextItem[], styles: Styles): Piece[] {
  return items.flatMap(({ str, transform, width, height, fontName }) => {
    const text = withoutControls(str);
    if (text.trim() === '') return [];
    const runsDown = styles[fontName]?.vertical === true;
    return { ...placeOf(transform, runsDown), text, width: runsDown ? height : width };
  });
}
