const KEY_BYTES = 16;
const KEY = /^[0-9a-f]{64}$/;

/**
 * Returns the first 16 bytes of the hash, long enough that no two texts share them.
 * @param key SHA-256 in hexadecimal. @throws TypeError for any other text
 */
export function keyBytes(key: string): Uint8Array {
  if (!KEY.test(key)) throw new TypeError(`Not a vector key: ${key}`);
  return Buffer.from(key.slice(0, 2 * KEY_BYTES), 'hex');
}
