import type { Operations, PdfPage } from './parser.ts';
import { type Matrix, type Place, placeOf } from './place.ts';

/** A letter as it is drawn, also one that is not shown, such as a soft hyphen. */
export interface Glyph extends Place {
  readonly text: string;
  readonly width: number;
}

interface ShownGlyph {
  readonly unicode: string;
  /** In thousandths of the size, unless the font says otherwise. */
  readonly width: number;
  readonly isSpace: boolean;
}

interface FontMeasures {
  readonly fontMatrix?: Matrix;
  readonly vertical?: boolean;
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const THOUSANDTH = 0.001;

/** What `q` saves and `Q` restores. */
const INITIAL = {
  page: IDENTITY,
  size: 0,
  scale: THOUSANDTH,
  isVertical: false,
  letterSpacing: 0,
  wordSpacing: 0,
  stretch: 1,
  leading: 0,
  rise: 0,
};

/** Returns the letters of a page in the order in which they are drawn. Those of fonts that run downwards are left out. */
export async function glyphsOf(page: PdfPage, operations: Operations): Promise<readonly Glyph[]> {
  // Without the appearances of annotations.
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: 0 });
  const glyphs: Glyph[] = [];
  const saved: (typeof INITIAL)[] = [];
  let state = { ...INITIAL };
  let text = IDENTITY;
  // Both in the coordinates of the text.
  let [x, y] = [0, 0];
  let line = { x: 0, y: 0 };
  const move = (right: number, up: number) => {
    line = { x: line.x + right, y: line.y + up };
    [x, y] = [line.x, line.y];
  };
  const begin = (matrix: Matrix) => {
    text = matrix;
    line = { x: 0, y: 0 };
    [x, y] = [0, 0];
  };
  const show = (shown: readonly (ShownGlyph | number)[]) => {
    const { size, scale, stretch, rise } = state;
    const whole = product(state.page, text);
    for (const one of shown) {
      if (typeof one === 'number') {
        x -= one * THOUSANDTH * size * stretch;
        continue;
      }
      const drawn = product(whole, [size, 0, 0, size, x, y + rise]);
      const place = placeOf(drawn);
      // As the parser does with its text.
      const isOnPage = contains(page.view, drawn[4] as number, drawn[5] as number);
      if (isOnPage) glyphs.push({ ...place, text: one.unicode, width: one.width * scale * stretch * place.size });
      x += one.width * scale * size * stretch + (state.letterSpacing + (one.isSpace ? state.wordSpacing : 0)) * stretch;
    }
  };
  const steps = new Map<number, (args: never) => void>([
    [operations.save, () => saved.push({ ...state })],
    [operations.restore, () => (state = saved.pop() ?? { ...INITIAL })],
    [operations.transform, (args: Matrix) => (state.page = product(state.page, args))],
    [
      operations.paintFormXObjectBegin,
      ([matrix]: [Matrix | null]) => {
        saved.push({ ...state });
        if (matrix !== null) state.page = product(state.page, matrix);
      },
    ],
    [operations.paintFormXObjectEnd, () => (state = saved.pop() ?? { ...INITIAL })],
    [operations.beginText, () => begin(IDENTITY)],
    [operations.setTextMatrix, ([matrix]: [Matrix]) => begin(matrix)],
    [operations.moveText, ([right, up]: [number, number]) => move(right, up)],
    [
      operations.setLeadingMoveText,
      ([right, up]: [number, number]) => {
        state.leading = up;
        move(right, up);
      },
    ],
    [operations.setLeading, ([leading]: [number]) => (state.leading = -leading)],
    [operations.nextLine, () => move(0, state.leading)],
    [operations.setCharSpacing, ([spacing]: [number]) => (state.letterSpacing = spacing)],
    [operations.setWordSpacing, ([spacing]: [number]) => (state.wordSpacing = spacing)],
    [operations.setHScale, ([percent]: [number]) => (state.stretch = percent / 100)],
    [operations.setTextRise, ([rise]: [number]) => (state.rise = rise)],
    [
      operations.setFont,
      ([name, size]: [string, number]) => {
        const font: FontMeasures = page.commonObjs.has(name) ? page.commonObjs.get(name) : {};
        Object.assign(state, { size, scale: font.fontMatrix?.[0] ?? THOUSANDTH, isVertical: font.vertical === true });
      },
    ],
    [operations.showText, ([shown]: [readonly (ShownGlyph | number)[]]) => state.isVertical || show(shown)],
  ]);
  for (const [i, operation] of fnArray.entries()) steps.get(operation)?.(argsArray[i] as never);
  return glyphs;
}

const product = (
  [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0]: Matrix,
  [e = 1, f = 0, g = 0, h = 1, right = 0, up = 0]: Matrix,
): Matrix => [
  a * e + c * f,
  b * e + d * f,
  a * g + c * h,
  b * g + d * h,
  a * right + c * up + x,
  b * right + d * up + y,
];

const contains = ([left = 0, bottom = 0, right = 0, top = 0]: readonly number[], x: number, y: number): boolean =>
  x >= left && x <= right && y >= bottom && y <= top;
