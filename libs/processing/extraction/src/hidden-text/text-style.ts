import type { Values } from './hiding.ts';
import { lengthOf, pixelsOf } from './lengths.ts';

/** Text of this size or less is not seen. Pixels. */
const UNSEEN = 1;
const USUAL_SIZE = 16;
/** Units of a size that refers to the size around it, and what they are of it. */
const RELATIVE: Readonly<Record<string, number>> = { em: 1, '%': 0.01, ex: 0.5, ch: 0.5 };

/** How text is shown, which the elements in an element inherit and may change. */
export interface TextStyle {
  readonly isVisible: boolean;
  /** Pixels. */
  readonly size: number;
}

export const USUAL_TEXT: TextStyle = { isVisible: true, size: USUAL_SIZE };

export const isSeen = ({ isVisible, size }: TextStyle): boolean => isVisible && size > UNSEEN;

export function textStyleOf(value: Values, inherited: TextStyle): TextStyle {
  const visibility = value('visibility');
  const size = value('font-size');
  if (visibility === '' && size === '') return inherited;
  return { isVisible: isVisible(visibility, inherited), size: sizeOf(size, inherited) };
}

function isVisible(visibility: string, inherited: TextStyle): boolean {
  if (visibility === 'hidden' || visibility === 'collapse') return false;
  return visibility === 'visible' || visibility === 'initial' || inherited.isVisible;
}

function sizeOf(size: string, inherited: TextStyle): number {
  if (/^(?:|inherit|unset|smaller|larger)$/.test(size)) return inherited.size;
  const length = lengthOf(size);
  const relative = length === null ? undefined : RELATIVE[length.unit];
  // Sizes by name, and those that only a browser can compute, are seen.
  return length !== null && relative !== undefined
    ? length.number * relative * inherited.size
    : (pixelsOf(size) ?? USUAL_SIZE);
}
