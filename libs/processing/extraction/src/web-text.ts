import { decodeText } from './decode.ts';

/** Where a page declares its charset, by the standard of HTML. Bytes. */
const DECLARATION_BYTES = 4_096;
const DECLARED = /<(?:meta|\?xml)\s[^<>]{0,500}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const IN_HEADER = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;
const PAGE_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;
/** A comment ends at its first end: ways to divide a row of comments would be tried one after the other. */
const PAGE_START =
  /^(?:\s|<!--(?:(?!-->)[\s\S]){0,2000}-->|<\?xml[^<>]{0,200}\?>)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
const BINARY_STARTS = ['%PDF-', 'PK\u0003\u0004', '\u0089PNG', 'GIF8', '\u00ff\u00d8\u00ff', 'RIFF', '\u001f\u008b'];

/** Returns whether a response is a page of the web: by its content type unless its bytes say something else, or by its bytes. */
export function isWebPage({
  contentType,
  start,
}: {
  readonly contentType: string | null;
  readonly start: Uint8Array;
}): boolean {
  const beginning = Buffer.from(start.subarray(0, DECLARATION_BYTES)).toString('latin1');
  if (BINARY_STARTS.some((bytes) => beginning.startsWith(bytes))) return false;
  return PAGE_TYPE.test(contentType ?? '') || PAGE_START.test(beginning.replace(/^\xef\xbb\xbf/, ''));
}

/** Returns the media type of a header without its parameters. */
export const mediaTypeOf = (contentType: string | null): string | null =>
  contentType?.split(';')[0]?.trim().toLowerCase() || null;

/** Decodes by the byte order mark, the header, or the declaration of the page; without these as `decodeText`. Never throws. */
export function decodeWebText(bytes: Uint8Array, contentType: string | null): string {
  const beginning = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const hasMark = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.test(beginning);
  const name = IN_HEADER.exec(contentType ?? '')?.[1] ?? DECLARED.exec(beginning)?.[1];
  if (hasMark || name === undefined) return decodeText(bytes);
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    // The name of a charset that does not exist.
    return decodeText(bytes);
  }
}
