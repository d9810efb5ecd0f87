import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** By how much sealed bytes are longer. */
export const SEAL_BYTES = TAG_BYTES;

export const newSecret = (): Uint8Array => randomBytes(SECRET_BYTES);

/**
 * Seals a part of a blob under AES-256-GCM: the tag, then the text. A secret seals one blob, and each part of it once, so
 * the number of the part is the nonce.
 */
export function seal(bytes: Uint8Array, secret: Uint8Array, part: number): Uint8Array {
  const cipher = createCipheriv(CIPHER, createSecretKey(secret), nonceOf(part));
  const sealed = cipher.update(bytes);
  const last = cipher.final();
  return Buffer.concat([cipher.getAuthTag(), sealed, last]);
}

/** @throws Error if bytes, secret and part do not belong together */
export function unseal(sealed: Uint8Array, secret: Uint8Array, part: number): Uint8Array {
  const decipher = createDecipheriv(CIPHER, createSecretKey(secret), nonceOf(part));
  decipher.setAuthTag(sealed.subarray(0, TAG_BYTES));
  const bytes = decipher.update(sealed.subarray(TAG_BYTES));
  decipher.final();
  return bytes;
}

function nonceOf(part: number): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(part, NONCE_BYTES - 4);
  return nonce;
}
