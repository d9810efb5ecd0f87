/** Bytes in which the beginning of a page is looked for. */
const START_BYTES = 4_096;
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
  const beginning = Buffer.from(start.subarray(0, START_BYTES)).toString('latin1');
  if (BINARY_STARTS.some((bytes) => beginning.startsWith(bytes))) return false;
  return PAGE_TYPE.test(contentType ?? '') || PAGE_START.test(beginning.replace(/^\xef\xbb\xbf/, ''));
}

/** Returns the media type of a header without its parameters. */
export const mediaTypeOf = (contentType: string | null): string | null =>
  contentType?.split(';')[0]?.trim().toLowerCase() || null;
