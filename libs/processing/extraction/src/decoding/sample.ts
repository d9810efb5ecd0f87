import { isAscii } from 'node:buffer';

/** Bytes. */
const SAMPLE = 16_384;
/** Bytes of a line that are kept in front of the first one beyond ASCII. */
const CONTEXT = 256;
const LINE_END = 0x0a;

/**
 * Returns the first lines with bytes beyond ASCII, 16 KiB at most. The others are alike in most encodings, and may be markup. A
 * line end is never a part of another character.
 */
export function sampleOf(bytes: Uint8Array): Uint8Array {
  const lines: Uint8Array[] = [];
  let length = 0;
  for (let start = 0; start < bytes.length && length < SAMPLE; ) {
    const at = bytes.indexOf(LINE_END, start);
    const end = at === -1 ? bytes.length : at + 1;
    const line = bytes.subarray(start, end);
    if (!isAscii(line)) {
      const first = line.findIndex((byte) => byte >= 0x80);
      const from = Math.max(0, first - CONTEXT);
      const kept = line.subarray(from, from + SAMPLE - length);
      lines.push(kept);
      length += kept.length;
    }
    start = end;
  }
  return Buffer.concat(lines);
}
