import iconv from 'iconv-lite';
import { damagedFileError, tooLarge } from '../../failures.ts';
import { htmlToText } from '../../html.ts';
import { rtfToText } from '../../rtf.ts';

/** Packed bytes; unpacked they are at most nine times as many. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Groups inside each other: taking a page out of its RTF takes time in the square of the depth. */
const MAX_DEPTH = 100;
/** Bytes in which RTF says what it is made of. */
const START = 1_000;

/**
 * Returns the text of an e-mail that is stored as compressed RTF (MS-OXRTFCP). One that is made of a page holds the page, which is
 * read.
 * @param kind words for the format of the file. @throws ExtractionError
 */
export async function textOfCompressedRtf(packed: Uint8Array, kind: string): Promise<string> {
  const rtf = await unpacked(packed, kind);
  const isPage = rtf.toString('latin1', 0, START).includes('\\fromhtml');
  if (!isPage || depthOf(rtf) > MAX_DEPTH) return rtfToText(rtf).text;
  const { deEncapsulateSync } = await import('rtf-stream-parser');
  const page = readOrNull(() => deEncapsulateSync(rtf, { decode: iconv.decode, mode: 'html' }).text.toString());
  return page === null ? rtfToText(rtf).text : (await htmlToText(page)).text;
}

async function unpacked(packed: Uint8Array, kind: string): Promise<Buffer> {
  if (packed.length > MAX_BYTES) throw tooLarge(`The text of the e-mail has more than ${MAX_BYTES} bytes`);
  const { decompressRTF } = await import('@kenjiuno/decompressrtf');
  try {
    const bytes = Buffer.from(packed);
    // The unpacker believes the length that the text states, also one beyond its end.
    bytes.writeUInt32LE(bytes.length - 4, 0);
    return Buffer.from(decompressRTF([...bytes]));
  } catch (error) {
    throw damagedFileError(kind, error);
  }
}

function depthOf(rtf: Buffer): number {
  let depth = 0;
  let deepest = 0;
  for (const byte of rtf) {
    if (byte === 0x7b) depth += 1;
    else if (byte === 0x7d) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Some RTF is not understood; it is read as any other. */
function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
