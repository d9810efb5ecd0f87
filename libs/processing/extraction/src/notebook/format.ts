import type { Json } from '#platform/kernel';

/** Notebooks hold a text whole, or as a list of lines with their ends. */
export const joinedText = (value: Json | undefined): string =>
  Array.isArray(value)
    ? value.filter((line) => typeof line === 'string').join('')
    : typeof value === 'string'
      ? value
      : '';

/** Returns a block of code, between marks that are longer than any in it. */
export function inFence(code: string, language: string): string {
  const marks = code.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(2, ...marks.map(({ length }) => length)) + 1);
  return `${fence}${language}\n${code.replace(/\n+$/, '')}\n${fence}`;
}
