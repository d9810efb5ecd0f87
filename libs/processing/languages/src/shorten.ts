const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Embeddings, overrides and isolates of right-to-left text, each with its end. A cut would leave one without an end. */
const FRAMES = /[\u202a-\u202e\u2066-\u2069]/g;
/** Code units that are read for each unit of the limit; what is counted has at most two, but a shown character any number. */
const READ = 4;

/** Returns the text without the characters that set its direction within another text, for where it is shown by itself. */
export const withoutFrames = (text: string): string => text.replace(FRAMES, '');

/** Would begin a line of its own, or is not shown. */
const BREAKS = /[\s\p{Cc}]+/gu;

/** Returns the text on one line, so that it does not look like the lines around it. */
export const oneLine = (text: string): string => withoutFrames(text).replace(BREAKS, ' ').trim();

/** Returns the number of code points, at most as many as a reader counts characters. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns the number of UTF-16 code units. */
export const codeUnits = (text: string): number => text.length;

/**
 * Returns the text, or its beginning with `…`. It is cut at a word, which in scripts without spaces is found by dictionary;
 * if there is none in the second half, between two characters as they are shown; and within one that fills it alone.
 * @param most of what `lengthOf` counts, `…` included
 */
export function shortened(text: string, most: number, lengthOf = codePoints): string {
  // Nothing that is counted has more than two code units, so most short texts are returned without counting.
  if (text.length <= most || (text.length <= 2 * most && lengthOf(text) <= most)) return text;
  const beginning = withoutFrames(text.slice(0, READ * most));
  const head =
    headOf(beginning, characters.segment(beginning), most - 1, lengthOf) ||
    headOf(beginning, points(beginning), most - 1, lengthOf);
  return `${head.slice(0, wordEnd(beginning, head)).trimEnd()}…`;
}

/** Returns as many of the pieces, from the first one, as fit. */
function headOf(
  text: string,
  pieces: Iterable<{ readonly segment: string }>,
  most: number,
  lengthOf: (text: string) => number,
): string {
  let end = 0;
  let length = 0;
  for (const { segment } of pieces) {
    length += lengthOf(segment);
    if (length > most) break;
    end += segment.length;
  }
  return text.slice(0, end);
}

function* points(text: string): Iterable<{ readonly segment: string }> {
  for (const segment of text) yield { segment };
}

/** Returns where the last whole word of a beginning ends, or the length of the beginning if that is in its first half. */
function wordEnd(text: string, { length }: string): number {
  const half = length / 2;
  const space = text.slice(0, length + 1).search(/\s\S*$/);
  if (space > half) return space;
  const word = words.segment(text).containing(length)?.index ?? length;
  return word > half ? word : length;
}
