import { withoutInvisible } from '#platform/kernel';

/** Images and fonts embedded in a text: thousands of letters and no words. */
const EMBEDDED_DATA = /data:[\w.+-]{1,80}\/[\w.+-]{1,80}(?:;[\w=.-]{1,80}){0,4};base64,[A-Za-z0-9+/=]{64,}/g;

/**
 * Turns line ends into `\n`, and NUL and lone surrogates, which databases and models refuse, into U+FFFD; removes
 * embedded base64 data and characters that are not shown. Most texts pass unchanged, as the same string.
 */
export function normalize(text: string): string {
  let normal = withoutInvisible(text);
  if (normal.includes('\r')) normal = normal.replace(/\r\n?/g, '\n');
  if (normal.includes('\0')) normal = normal.replaceAll('\0', '\ufffd');
  if (normal.includes(';base64,')) normal = normal.replace(EMBEDDED_DATA, '');
  return normal.isWellFormed() ? normal : normal.toWellFormed();
}
