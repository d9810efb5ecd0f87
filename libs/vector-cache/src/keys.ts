const KEY_BYTES = 16;
const KEY = /^[0-9a-f]{64}$/;

/**
 * The first 16 bytes of the hash: two texts of one organization that share them will not be met.
 * @param key SHA-256 in hexadecimal. @throws TypeError for anything else
 */
export function keyBytes(key: string): Uint8Array {
  if (!KEY.test(key)) throw new TypeError(`Not a vector key: ${key}`);
  return Buffer.from(key.slice(0, 2 * KEY_BYTES), 'hex');
}
