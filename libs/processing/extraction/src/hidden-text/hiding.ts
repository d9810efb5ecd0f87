import { lengthOf, pixelsOf } from './lengths.ts';

/** What is cut off to this width or height is not seen. Pixels. */
const UNSEEN = 1;
/** What is moved farther than this to the left or up is out of the window. Pixels. */
const FAR = 999;
/** An element of this opacity or less is not seen. */
const TRANSPARENT = 0.01;

/** The value of a property; empty: it has none. */
export type Values = (property: string) => string;

/** Whether an element and all that is in it is not shown. @param isHidden whether it is not shown without a style */
export function isRemoved(value: Values, isHidden: boolean): boolean {
  const display = value('display');
  return (
    (display === '' ? isHidden : display === 'none') ||
    value('content-visibility') === 'hidden' ||
    isTransparent(value) ||
    isOfNoSize(value) ||
    isFarAway(value) ||
    isClipped(value)
  );
}

/** Scripts and animations show what is transparent and moved at first. */
function isTransparent(value: Values): boolean {
  const [, filtered = ''] = /\bopacity\(([^()]*)\)/.exec(value('filter')) ?? [];
  const opacity = lengthOf(filtered.trim() || value('opacity'));
  if (opacity === null || (opacity.unit === '%' ? opacity.number / 100 : opacity.number) > TRANSPARENT) return false;
  return ['animation', 'animation-name', 'transform'].every((property) => /^(?:none)?$/.test(value(property)));
}

function isOfNoSize(value: Values): boolean {
  if (/\bscale(?:3d|x|y)?\( ?0?\.?0+ ?[,)]/.test(value('transform')) || value('scale') === '0') return true;
  if (isNothing(value('width')) && isNothing(value('height'))) return true;
  return isCutTo('width', 'x', value) || isCutTo('height', 'y', value);
}

const isNothing = (size: string): boolean => (pixelsOf(size) ?? FAR) <= UNSEEN;

/** Whether what is cut off in a direction leaves nothing. An inner margin can make a box of no height as high as a picture. */
function isCutTo(size: 'width' | 'height', direction: 'x' | 'y', value: Values): boolean {
  const overflow = value(`overflow-${direction}`) || value('overflow');
  if (overflow === '' || overflow.startsWith('visible')) return false;
  if (!isNothing(value(size)) && !isNothing(value(`max-${size}`))) return false;
  if ((pixelsOf(value(`min-${size}`)) ?? 0) > UNSEEN) return false;
  const inner = size === 'width' ? [] : ['padding', 'padding-top', 'padding-bottom'];
  return inner.every((property) =>
    value(property)
      .split(' ')
      .every((one) => (pixelsOf(one) ?? 0) <= UNSEEN),
  );
}

function isFarAway(value: Values): boolean {
  const indent = lengthOf(value('text-indent'));
  if (indent?.unit === '%' && indent.number >= 100 && /^(?:hidden|clip)/.test(value('overflow'))) return true;
  const isOut = (property: string, size?: string): boolean => {
    const moved = pixelsOf(value(property)) ?? 0;
    // A row of pictures is moved by the width of some, and the others are seen.
    return moved <= -FAR && (size === undefined || moved + (pixelsOf(value(size)) ?? 0) <= 0);
  };
  if (isOut('text-indent') || isOut('margin-left', 'width') || isOut('margin-top', 'height')) return true;
  const [, moved = ''] = /\btranslate(?:3d|x|y)?\( ?(-[^,) ]+)/.exec(value('transform')) ?? [];
  // A percent is one of the element itself.
  if (!moved.endsWith('%') && (pixelsOf(moved) ?? 0) <= -FAR) return true;
  if (!/^(?:absolute|fixed|relative|sticky)$/.test(value('position'))) return false;
  return isOut('left', 'width') || isOut('right', 'width') || isOut('top', 'height') || isOut('bottom', 'height');
}

function isClipped(value: Values): boolean {
  const isPositioned = /^(?:absolute|fixed)$/.test(value('position'));
  const [, edges = ''] = /^rect\(([^()]*)\)$/.exec(value('clip')) ?? [];
  const [top, right, bottom, left] = edges.split(/[ ,]+/).filter(Boolean).map(pixelsOf);
  const isEmpty = (from: number | null | undefined, to: number | null | undefined) =>
    from != null && to != null && to - from <= UNSEEN;
  if (isPositioned && (isEmpty(left, right) || isEmpty(top, bottom))) return true;
  return leavesNothing(value('clip-path'));
}

/** Whether a shape of `clip-path` is empty. */
function leavesNothing(shape: string): boolean {
  const [, name, inner = ''] = /^(inset|circle|ellipse|polygon)\(([^()]*)\)/.exec(shape) ?? [];
  if (name === 'inset') {
    const edges = inner.split(' round ')[0]?.trim().split(' ').map(lengthOf) ?? [];
    const [top, right = top, bottom = top, left = right] = edges;
    const percent = (edge: typeof top) => (edge?.unit === '%' ? edge.number : 0);
    return percent(top) + percent(bottom) >= 100 || percent(left) + percent(right) >= 100;
  }
  if (name === 'polygon') return new Set(inner.split(',').map((point) => point.trim())).size === 1;
  return name !== undefined && pixelsOf(inner.trim().split(' ')[0] ?? '') === 0;
}
