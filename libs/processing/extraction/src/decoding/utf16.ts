/** Bytes that are looked at; an even number. */
const SAMPLE = 65_536;
/** Fewer bytes are no text in UTF-16. */
const LEAST = 4;
/** Characters of a text that are none, such as controls and code points without a meaning: at most one in so many. */
const PER_STRANGE = 100;
/** White space apart. */
const STRANGE = /(?![\t\n\v\f\r])[\p{Cc}\p{Cn}\p{Cs}\ufffd]/gu;

/** A text in UTF-16 whose bytes are all printable ASCII or NUL has a NUL in so many of its characters. */
const LATIN_SHARE = 0.75;

export type Utf16 = 'utf-16le' | 'utf-16be';

/** Returns the encoding of the byte order mark. Null: the bytes have no mark. */
export function markOf(bytes: Uint8Array): Utf16 | 'utf-8' | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null;
}

/** Returns whether the bytes can be text: UTF-16, or free of NUL bytes. `bytes` may be the beginning of a file. */
export function mayBeText(bytes: Uint8Array): boolean {
  const mark = markOf(bytes);
  const isUtf16 = mark === 'utf-16le' || mark === 'utf-16be' || bytes.includes(0);
  return !isUtf16 || utf16Of(bytes) !== null;
}

/**
 * Returns the byte order in which bytes are a text in UTF-16; null: in none. With a mark, only its order is tried. Of a text
 * without a mark, that order is meant in which the high bytes vary less: most texts have few alphabets.
 * @param bytes may be the beginning of a file
 */
export function utf16Of(bytes: Uint8Array): Utf16 | null {
  const sample = bytes.subarray(0, Math.min(SAMPLE, bytes.length - (bytes.length % 2)));
  const mark = markOf(bytes);
  if (mark === 'utf-8' || sample.length < LEAST) return null;
  if (mark !== null) return isText(sample, mark) ? mark : null;
  const label = distinct(sample, 1) <= distinct(sample, 0) ? 'utf-16le' : 'utf-16be';
  return isText(sample, label) && !isSeparated(sample, label) ? label : null;
}

function isText(bytes: Uint8Array, label: Utf16): boolean {
  // A pair of surrogates may be cut at the end.
  const text = new TextDecoder(label).decode(bytes, { stream: true });
  const strange = text.match(STRANGE)?.length ?? 0;
  return strange * PER_STRANGE <= text.length;
}

/**
 * Whether the bytes are words in ASCII with NUL between them, as `find -print0` writes them. Letters of ASCII in UTF-16 have a
 * NUL each.
 */
function isSeparated(bytes: Uint8Array, label: Utf16): boolean {
  const high = label === 'utf-16le' ? 1 : 0;
  const latin = bytes.filter((byte, i) => i % 2 === high && byte === 0).length;
  return latin < (LATIN_SHARE * bytes.length) / 2 && bytes.every((byte) => byte === 0 || isPrintable(byte));
}

const isPrintable = (byte: number): boolean => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d);

/** Number of different bytes at even (0) or odd (1) places. */
function distinct(bytes: Uint8Array, parity: 0 | 1): number {
  const found = new Set<number>();
  for (let i = parity; i < bytes.length; i += 2) found.add(bytes[i] as number);
  return found.size;
}
