/** Letters that are written from right to left. */
const LETTER = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LETTERS = new RegExp(LETTER, 'gu');
const OTHER = /[\p{L}\p{N}]/u;

export const hasRightToLeft = (text: string): boolean => LETTER.test(text);

/** Whether most letters are written from right to left. */
export function isRightToLeft(pieces: readonly { readonly text: string }[]): boolean {
  let difference = 0;
  for (const { text } of pieces) {
    const letters = text.match(LETTERS)?.length ?? 0;
    difference += letters - ((text.match(/\p{L}/gu)?.length ?? 0) - letters);
  }
  return difference > 0;
}

/** Returns the parts of a line in the order in which they are read; those in other scripts, and numbers, keep their order. */
export function readFromRight(parts: readonly string[]): readonly string[] {
  const isLetter = parts.map((part) => LETTER.test(part));
  const isOther = parts.map((part, i) => !isLetter[i] && OTHER.test(part));
  const read: string[] = [];
  for (let end = parts.length - 1; end >= 0; ) {
    let start = end;
    if (isOther[end]) for (let i = end; i >= 0 && !isLetter[i]; i--) if (isOther[i]) start = i;
    for (let i = start; i <= end; i++) read.push(parts[i] as string);
    end = start - 1;
  }
  return read;
}
