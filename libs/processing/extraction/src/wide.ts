import { wholeCharacter } from './characters.ts';
import { dateInWords } from './dates.ts';
import { WEIGHT_OF_TOKEN, weigh } from './tokens.ts';

/** Maximum length taken from a neighbour, in UTF-16 code units. */
const NEIGHBOUR_LETTERS = 400;
/** Maximum size of a wide form, unless the unit alone is larger; models read 512 tokens. */
const WIDE_TOKENS = 450;

/**
 * Returns the text before each wide form: the document's date as questions write it (`8 May 2023`), from the digits as
 * sent, without conversion of time zones. A date that is not ISO 8601 is unchanged; '' if there is none.
 */
export function documentHeader(documentDate: string | null): string {
  if (documentDate === null) return '';
  return dateInWords(documentDate) ?? documentDate.trim().slice(0, 60);
}

/**
 * Returns a unit with the end of the one before, the beginning of the one after, and the document's date, which is
 * embedded and indexed as `wide` next to the bare unit. At most about 450 tokens unless the unit itself is larger; the
 * unit is never clipped.
 * @param units texts of all units of one kind of a document, in order
 */
export function wideText(units: readonly string[], index: number, documentDate: string | null): string {
  const unit = units[index] ?? '';
  const header = documentHeader(documentDate);
  const left = WIDE_TOKENS * WEIGHT_OF_TOKEN - weigh(unit, 0, unit.length) - weigh(header, 0, header.length);
  const share = Math.floor(left / 2);
  const lines = [header, endOf(units[index - 1] ?? '', share), unit, beginningOf(units[index + 1] ?? '', share)];
  return lines.filter((line) => line !== '').join('\n');
}

function beginningOf(text: string, weight: number): string {
  const most = Math.min(text.length, NEIGHBOUR_LETTERS);
  let end = 0;
  let left = weight;
  while (end < most) {
    left -= weigh(text, end, end + 1);
    if (left < 0) break;
    end++;
  }
  if (end === text.length) return text;
  const clipped = text.slice(0, wholeCharacter(text, end));
  const space = clipped.lastIndexOf(' ');
  return (space > clipped.length / 2 ? clipped.slice(0, space) : clipped).trimEnd();
}

function endOf(text: string, weight: number): string {
  const least = Math.max(0, text.length - NEIGHBOUR_LETTERS);
  let start = text.length;
  let left = weight;
  while (start > least) {
    left -= weigh(text, start - 1, start);
    if (left < 0) break;
    start--;
  }
  if (start === 0) return text;
  if (wholeCharacter(text, start) !== start) start++;
  const clipped = text.slice(start);
  const space = clipped.indexOf(' ');
  return (space !== -1 && space < clipped.length / 2 ? clipped.slice(space) : clipped).trimStart();
}
