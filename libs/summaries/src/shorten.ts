/** Returns the number of characters as a reader counts them at most: code points. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/**
 * Returns the text, or its beginning with `…`, cut at a word, or where there is none near, at a character as it is shown.
 * @param most code points
 */
export function shortened(text: string, most: number): string {
  // A character has at most two code units, so most short texts are returned without counting.
  if (text.length <= most || (text.length <= 2 * most && lengthOf(text) <= most)) return text;
  // A character as it is shown may have any number of code points.
  const shown = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let head = '';
  let length = 0;
  for (const { segment } of shown.segment(text.slice(0, 4 * most))) {
    length += lengthOf(segment);
    if (length > most - 1) break;
    head += segment;
  }
  const space = head.lastIndexOf(' ');
  return `${(space > head.length / 2 ? head.slice(0, space) : head).trimEnd()}…`;
}
