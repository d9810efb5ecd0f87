/** Soft hyphen, zero width space, word joiner, and the byte order mark inside a text. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]+/g;

/** Returns a text without the characters that are not shown and may occur inside words. */
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');
