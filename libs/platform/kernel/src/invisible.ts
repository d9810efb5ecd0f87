/** Soft hyphen, zero width space, word joiner, and the byte order mark inside a text. */
const CHARACTERS = ['\u00ad', '\u200b', '\u2060', '\ufeff'];
const ANY = new RegExp(`[${CHARACTERS.join('')}]+`, 'g');

/** Returns a text without the characters that are not shown and may occur inside words. Most texts have none. */
export const withoutInvisible = (text: string): string =>
  CHARACTERS.some((character) => text.includes(character)) ? text.replace(ANY, '') : text;
