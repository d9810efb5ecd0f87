const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** A media type with parameters (RFC 9110, §8.3.1), of at most 255 characters. */
const MEDIA_TYPE = new RegExp(`^(?=.{1,255}$)${TOKEN}/${TOKEN}(\\s*;\\s*${TOKEN}=(${TOKEN}|"[\\w !#-[\\]-~]*"))*$`);

/** Returns the value of Content-Type for what a caller has called the type of a file. */
export const mediaType = (sent: string | null): string =>
  sent !== null && MEDIA_TYPE.test(sent) ? sent : 'application/octet-stream';

/** Outside of the characters that RFC 8187 (§3.2.1) lets stand as they are. */
const ENCODED_TOO = /['()*]/g;
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Returns the value of Content-Disposition (RFC 6266) for a download under this name, which may be any string. */
export function attachment(name: string): string {
  const wanted = name.toWellFormed();
  const plain = wanted.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(wanted).replace(ENCODED_TOO, percent);
  return plain === wanted
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
