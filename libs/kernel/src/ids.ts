import { hash, randomFillSync } from 'node:crypto';

export type OrganizationId = string & { readonly __brand: 'OrganizationId' };

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 22;
/** Bytes at or above this would favour the first letters of the alphabet. */
const UNBIASED = Math.floor(256 / ALPHABET.length) * ALPHABET.length;

const pool = new Uint8Array(8192);
let used = pool.length;

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] as number;
}

/** An unguessable internal id: 22 characters of [A-Za-z0-9], about 131 bits. */
export function newId(): string {
  let id = '';
  while (id.length < LENGTH) {
    const byte = randomByte();
    if (byte < UNBIASED) id += ALPHABET[byte % ALPHABET.length];
  }
  return id;
}

/**
 * A stable key of several strings: SHA-256 over their JSON, which keeps apart what plain UTF-8 would not (lone
 * surrogates, and where one part ends). 64 hexadecimal characters.
 */
export function contentHash(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex');
}
