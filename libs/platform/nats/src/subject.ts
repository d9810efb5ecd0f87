/** Escapes a text as one token of a subject: all but letters, digits, `-` and `_` becomes `%` and hex digits. */
export function subjectToken(text: string): string {
  if (text === '') throw new RangeError('a token of a subject cannot be empty');
  return encodeURIComponent(text).replace(/[!'()*.~]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
