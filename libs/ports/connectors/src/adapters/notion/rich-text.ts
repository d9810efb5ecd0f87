import type { RichText } from './objects.ts';

const MARKS = [
  ['bold', '**'],
  ['italic', '*'],
  ['strikethrough', '~~'],
  ['code', '`'],
] as const;

/** Markdown of a text. */
export const markdownOf = (texts: readonly RichText[] | undefined): string => (texts ?? []).map(pieceOf).join('');

function pieceOf({ type, plain_text, href, annotations = {}, equation }: RichText): string {
  if (type === 'equation') return `$${equation?.expression ?? plain_text}$`;
  const [, before = '', words = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(plain_text) ?? [];
  if (words === '') return plain_text;
  // Code is innermost: within it no other mark is one.
  const marked = MARKS.toReversed().reduce((text, [name, mark]) => {
    return annotations[name] === true ? `${mark}${text}${mark}` : text;
  }, words);
  return `${before}${href === null ? marked : linkTo(href, marked)}${after}`;
}

export const linkTo = (address: string, words: string): string =>
  /^(?:https?|mailto):/.test(address) ? `[${words}](${address.replaceAll(' ', '%20').replaceAll(')', '%29')})` : words;
