/** In the order of bytes, so that numbers of the same length sort by their value. */
export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const BASE = BigInt(ALPHABET.length);
/** As many digits as fit a number below 2^53. */
const GROUP = 8;
const GROUP_BASE = BASE ** BigInt(GROUP);
const BITS_PER_DIGIT = Math.log2(ALPHABET.length);

/**
 * Returns the bytes as one big-endian number in base 62, left-padded with `0` to the length that every number of so many
 * bytes fits: 22 characters for 16 bytes, 43 for 32.
 */
export function base62(bytes: Uint8Array): string {
  const length = Math.ceil((bytes.length * 8) / BITS_PER_DIGIT);
  let text = '';
  for (let rest = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`); rest > 0n; rest /= GROUP_BASE) {
    let group = Number(rest % GROUP_BASE);
    for (let digit = 0; digit < GROUP; digit += 1) {
      text = ALPHABET[group % ALPHABET.length] + text;
      group = Math.floor(group / ALPHABET.length);
    }
  }
  return text.slice(-length).padStart(length, ALPHABET[0]);
}
