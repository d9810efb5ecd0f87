import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** By how much sealed bytes are longer. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * Seals bytes under AES-256-GCM: nonce (12 bytes), tag (16), sealed bytes.
 * @param secret 32 bytes
 * @param context where the bytes belong; they open nowhere else
 */
export function sealBytes(bytes: Uint8Array, secret: Uint8Array, context = ''): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error if bytes, secret and context do not belong together */
export function openBytes(sealed: Uint8Array, secret: Uint8Array, context = ''): Buffer {
  const decipher = createDecipheriv(CIPHER, secret, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(NONCE_BYTES, SEAL_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(SEAL_BYTES)), decipher.final()]);
}
