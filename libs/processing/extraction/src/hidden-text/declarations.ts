import type { CSSToken } from '@csstools/css-tokenizer';

/** Properties that can hide text, or that say whether others do. */
const READ: ReadonlySet<string> = new Set(
  (
    'display visibility content-visibility opacity filter font font-size position left top right bottom width height min-width ' +
    'min-height max-width max-height overflow overflow-x overflow-y padding padding-top padding-bottom text-indent margin-left ' +
    'margin-top clip clip-path transform scale animation animation-name'
  ).split(' '),
);

export interface Declared {
  /** In lower case, without comments. */
  readonly value: string;
  readonly isImportant: boolean;
}

/** Values by property. */
export type Declarations = ReadonlyMap<string, Declared>;

/** Adds declarations to those before: a later one wins, unless only the earlier one is important. */
export function addDeclarations(to: Map<string, Declared>, more: Declarations): void {
  for (const [property, declared] of more) {
    if (declared.isImportant || !to.get(property)?.isImportant) to.set(property, declared);
  }
}

/** Adds a declaration without its semicolon; one that is none, or does not concern hidden text, is left out. */
export function addDeclaration(to: Map<string, Declared>, tokens: readonly CSSToken[]): void {
  const [, property = '', value = '', important] = DECLARATION.exec(wordsOf(tokens).trim()) ?? [];
  if (!READ.has(property)) return;
  const declared = { value, isImportant: important !== undefined };
  addDeclarations(
    to,
    new Map([property === 'font' ? ['font-size', { ...declared, value: sizeIn(value) }] : [property, declared]]),
  );
}

const SIZE_IN_FONT = /(?:^| )((?:\d*\.)?\d+(?:px|pt|pc|in|cm|mm|q|r?em|ex|ch|v[whib]|vmin|vmax|%)|0)(?=[ /])/;

/** The size in a value of `font`. */
const sizeIn = (font: string): string =>
  SIZE_IN_FONT.exec(font)?.[1] ?? (/^(?:inherit|unset)$/.test(font) ? 'inherit' : 'medium');

const DECLARATION = /^([a-z-]+) ?: ?(.*?)( ?! ?important)?$/;

/** What tokens say, in lower case, without comments and texts in quotes. */
export const wordsOf = (tokens: readonly CSSToken[]): string => tokens.map(wordOf).join('').replace(/ +/g, ' ');

function wordOf([type, source, , , data]: CSSToken): string {
  switch (type) {
    case 'comment':
    case 'whitespace-token':
      return ' ';
    case 'ident-token':
      return data.value.toLowerCase();
    case 'function-token':
      return `${data.value.toLowerCase()}(`;
    case 'dimension-token': {
      return `${data.value}${data.unit.toLowerCase()}`;
    }
    case 'string-token':
    case 'url-token':
      return '""';
    default:
      return source.toLowerCase();
  }
}
