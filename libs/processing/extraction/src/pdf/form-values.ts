import type { Piece } from './lines.ts';
import type { PdfPage } from './parser.ts';
import { turned } from './place.ts';

/** A field of a form on its page, as the parser gives it. */
interface Field {
  readonly subtype: string;
  readonly rect: readonly [number, number, number, number];
  readonly rotation?: number;
  readonly annotationFlags: number;
  readonly fieldType?: string;
  readonly fieldName?: string;
  readonly alternativeText?: string;
  readonly fieldValue?: string | readonly string[] | null;
  readonly defaultAppearanceData?: { readonly fontSize?: number };
  readonly password?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  /** What a tick box, and what a radio button stands for. */
  readonly exportValue?: string;
  readonly buttonValue?: string | null;
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
}

/** `Hidden` and `NoView`. */
const NOT_SHOWN = 2 | 32;
const USUAL_SIZE = 10;
const LEADING = 1.2;
/** In sizes of the letters: how far a label is above a field, or behind a tick box. */
const ABOVE = 1.6;
const BEHIND = 3;

interface Box {
  readonly quarters: number;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** Returns the values of the form fields of a page as pieces in their places, each with a label. Hidden fields and passwords are left out. */
export async function formValues(page: PdfPage, texts: readonly Piece[]): Promise<readonly Piece[]> {
  const annotations = (await page.getAnnotations()) as readonly Field[];
  const fields = annotations.filter(isShown).map((field) => ({ field, box: boxOf(field) }));
  const below: Box[] = [];
  // The label of a column may be above its first field alone.
  fields.sort((one, other) => other.box.top - one.box.top);
  return fields.flatMap(({ field, box }) => piecesOf(field, box, texts, below));
}

const isShown = ({ subtype, annotationFlags, password, rect: [left, bottom, right, top] }: Field): boolean =>
  subtype === 'Widget' && (annotationFlags & NOT_SHOWN) === 0 && !password && right > left && top > bottom;

/** @param below fields that are below a label; the field is added if it is, too */
function piecesOf(field: Field, box: Box, texts: readonly Piece[], below: Box[]): readonly Piece[] {
  const near = texts.filter(({ quarters }) => quarters === box.quarters);
  const beside = near.filter(({ y }) => y >= box.bottom - 2 && y < box.top);
  const before = beside.filter(({ x, width }) => x + width <= box.left + 2);
  const label = before.reduce<Piece | null>((last, one) => (last === null || one.x > last.x ? one : last), null);
  const fontSize = field.defaultAppearanceData?.fontSize || Number.POSITIVE_INFINITY;
  const size = Math.min(fontSize, label?.size ?? USUAL_SIZE);
  const isButton = field.checkBox || field.radioButton;
  const after = isButton && beside.some(({ x }) => x >= box.right - 2 && x - box.right < size * BEHIND);
  const value = isButton ? tickOf(field, after === true) : wordsOf(field);
  const inside = beside.filter(({ x }) => x >= box.left && x < box.right);
  const ceiling = box.top + size * ABOVE;
  const isBelow =
    near.some(({ x, y, width }) => y >= box.top && y < ceiling && x < box.right && x + width > box.left) ||
    below.some((other) => isColumn(other, box) && other.bottom < ceiling);
  if (isBelow) below.push(box);
  if (value === '' || inside.some(({ text }) => text.trim() === value)) return [];
  const isNamed = label !== null || after || isBelow || inside.length > 0;
  const lines = (isNamed ? value : `${nameOf(field)}: ${value}`).split(/\r\n?|\n/);
  const first = label?.y ?? (lines.length > 1 ? box.top - size : (box.top + box.bottom) / 2 - size * 0.35);
  const place = { quarters: box.quarters, x: box.left, width: box.right - box.left, size };
  return lines.map((text, i) => ({ ...place, text, y: first - i * size * LEADING, isValue: true as const }));
}

const isColumn = (above: Box, box: Box): boolean =>
  above.quarters === box.quarters &&
  above.bottom >= box.top - 2 &&
  Math.abs(above.left - box.left) < 3 &&
  Math.abs(above.right - box.right) < 3;

function boxOf({ rect, rotation = 0 }: Field): Box {
  const quarters = (rotation / 90) & 3;
  const [one, other] = [turned(rect[0], rect[1], quarters), turned(rect[2], rect[3], quarters)];
  const [left, right] = [Math.min(one.x, other.x), Math.max(one.x, other.x)];
  return { quarters, left, right, bottom: Math.min(one.y, other.y), top: Math.max(one.y, other.y) };
}

/** @param isNamed what it stands for is written behind it */
function tickOf({ fieldValue, exportValue, buttonValue }: Field, isNamed: boolean): string {
  const name = exportValue ?? buttonValue ?? 'Off';
  if (name === 'Off' || ![fieldValue].flat().includes(name)) return '[ ]';
  return isNamed || name === 'On' || !/\p{L}{2}/u.test(name) ? '[x]' : `[x] ${name}`;
}

function wordsOf({ fieldType, fieldValue, options = [] }: Field): string {
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return '';
  const shown = new Map(options.map(({ exportValue, displayValue }) => [exportValue, displayValue]));
  const values = [fieldValue ?? []].flat();
  return values
    .map((value) => shown.get(value) ?? value)
    .join(', ')
    .trim();
}

/** `Page[0].Date_of_birth[0]` is `Date of birth`. */
const nameOf = ({ alternativeText, fieldName = '' }: Field): string =>
  alternativeText ||
  (fieldName.split('.').at(-1) ?? '')
    .replace(/\[\d+\]$/, '')
    .replace(/_/g, ' ')
    .trim();
