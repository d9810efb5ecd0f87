import { isAscii, isUtf8 } from 'node:buffer';
import { unknownEncoding } from '../failures.ts';
import { declaredIn, labelOf } from './declared.ts';
import { decodeAs } from './decode-as.ts';
import { detectedEncoding } from './detector.ts';
import { isUsual } from './plausible.ts';
import { sampleOf } from './sample.ts';
import { utf8Damage } from './utf8.ts';
import { markOf, utf16Of } from './utf16.ts';

/** A text has at most one replacement character in so many, or a single one. */
const PER_ERROR = 100;

export interface DecodedText {
  readonly text: string;
  /** As `encodingOf` returns it. */
  readonly encoding: string;
}

/**
 * Decodes the bytes of a text.
 * @param declared label that came with the bytes, such as the charset of a media type; null: none
 * @throws ExtractionError if the encoding is not known
 */
export async function decodeText(bytes: Uint8Array, declared: string | null = null): Promise<DecodedText> {
  const encoding = await encodingOf(bytes, declared);
  const text = decodeAs(bytes, encoding);
  if (encoding !== 'utf-8' && !hasFewErrors(text)) throw unknownEncoding();
  return { text, encoding };
}

/**
 * Returns the label of the Encoding Standard for the encoding of a text, such as `windows-1251`: a byte order mark decides; else
 * valid UTF-8 that is not ASCII alone; else what is declared, here or in the text itself; else UTF-8 with few errors; else the
 * detector.
 * @param declared as of `decodeText`
 * @throws ExtractionError if the encoding is not known
 */
async function encodingOf(bytes: Uint8Array, declared: string | null = null): Promise<string> {
  // In UTF-16 a letter of ASCII has a NUL, which is ASCII, too.
  const marked = markOf(bytes) ?? (bytes.includes(0) ? utf16Of(bytes) : null);
  if (marked !== null) return marked;
  const isValid = isUtf8(bytes);
  if (isValid && !isAscii(bytes)) return 'utf-8';
  const sample = isValid ? new Uint8Array() : sampleOf(bytes);
  for (const name of [declared, declaredIn(bytes)]) {
    const label = name === null ? null : labelOf(name);
    if (label !== null && hasFewErrors(decodeAs(sample, label))) return label;
  }
  const damage = isValid ? 'few' : utf8Damage(bytes);
  if (damage === 'few') return 'utf-8';
  if (damage === 'many') throw unknownEncoding();
  const detected = await detectedEncoding(sample);
  // A few odd bytes in ASCII are letters of a code page only where these make sense.
  if (damage === 'ascii') return detected !== null && isUsual(decodeAs(sample, detected)) ? detected : 'utf-8';
  if (detected === null) throw unknownEncoding();
  return detected;
}

function hasFewErrors(text: string): boolean {
  const errors = text.match(/\ufffd/g)?.length ?? 0;
  return errors <= 1 || errors * PER_ERROR <= text.length;
}
