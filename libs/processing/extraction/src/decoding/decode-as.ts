import iconv from 'iconv-lite';

/** Of these, Node lacks a part: Korean syllables of code page 949, and the characters of Hong Kong. */
const INCOMPLETE: ReadonlySet<string> = new Set(['euc-kr', 'big5']);

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** Decodes bytes by a label of the Encoding Standard. What cannot be decoded becomes U+FFFD. */
export function decodeAs(bytes: Uint8Array, label: string): string {
  if (INCOMPLETE.has(label)) return iconv.decode(bytes, label);
  const decoder = decoders.get(label) ?? new TextDecoder(label);
  decoders.set(label, decoder);
  return decoder.decode(bytes);
}
