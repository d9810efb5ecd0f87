/** With the u flag a surrogate pair is one character, so this matches lone surrogates and the escape mark. */
const NOT_AS_IS = /[\ud800-\udfff\uffff]/gu;
const MARKED = /\uffff([0-9a-f]{4})/g;

/**
 * Encodes a string for an engine. UTF-8 has no lone surrogates: stored as they are, they would all become U+FFFD, and
 * different tags would be equal. They are written as U+FFFF and four hexadecimal digits. Different strings stay
 * different, and a prefix that ends in an ordinary character stays a prefix.
 */
export function toColumn(text: string): string {
  if (text.isWellFormed() && !text.includes('\uffff')) return text;
  return text.replace(NOT_AS_IS, (unit) => `\uffff${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Decodes what {@link toColumn} has encoded. */
export function fromColumn(column: string): string {
  if (!column.includes('\uffff')) return column;
  return column.replace(MARKED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

export const toColumnOrNull = (text: string | null): string | null => (text === null ? null : toColumn(text));
export const fromColumnOrNull = (column: string | null): string | null => (column === null ? null : fromColumn(column));
