import { withoutInvisible } from '#platform/kernel';
import { codeUnits, shortened, withoutFrames } from '#processing/languages';

/** Classes of letters, for an expression: those of scripts whose words have no spaces between them. */
export const UNSPACED_LETTERS =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';

/** Returns whether `String.prototype.trim` removes this UTF-16 code unit. */
export function isSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  if (code < 0xa0) return false;
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** Returns the first position in `[start, end)` that is not white space, or `end`. */
export function skipSpace(text: string, start: number, end: number): number {
  let position = start;
  while (position < end && isSpace(text.charCodeAt(position))) position++;
  return position;
}

/** Returns the position after the last code unit of `[start, end)` that is not white space, or `start`. */
export function trimSpace(text: string, start: number, end: number): number {
  let position = end;
  while (position > start && isSpace(text.charCodeAt(position - 1))) position--;
  return position;
}

/** Returns `position`, or the one before it if it lies within a surrogate pair. */
export function wholeCharacter(text: string, position: number): number {
  const before = text.charCodeAt(position - 1);
  const after = text.charCodeAt(position);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? position - 1 : position;
}

/** Returns the text on one line of at most `limit` UTF-16 code units; a longer one is {@link shortened}. */
export function clip(text: string, limit: number): string {
  // The text may be a book; only its beginning is needed.
  const read = limit * 4;
  const line = withoutFrames(withoutInvisible(text.slice(0, read)))
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length > read && line.length < limit) return `${line}…`;
  return shortened(line, limit, codeUnits);
}
