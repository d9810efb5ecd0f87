import { hash, randomFillSync } from 'node:crypto';
import { ALPHABET } from './base62.ts';

export type OrganizationId = string & { readonly __brand: 'OrganizationId' };

const LENGTH = 22;
/** Characters that tell the millisecond: enough until the year 2081. */
const TIME_LENGTH = 7;
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

let lastMoment = -1;
let lastPrefix = '';

function timePrefix(): string {
  const now = Date.now();
  if (now === lastMoment) return lastPrefix;
  lastMoment = now;
  lastPrefix = '';
  for (let rest = now, i = 0; i < TIME_LENGTH; i++, rest = Math.floor(rest / ALPHABET.length)) {
    lastPrefix = ALPHABET[rest % ALPHABET.length] + lastPrefix;
  }
  return lastPrefix;
}

/**
 * An unguessable internal id: 22 characters of [A-Za-z0-9]. The first seven tell when it was made, in milliseconds, so
 * that what is made together stands together in every index; the other fifteen are random, 89 bits.
 */
export function newId(): string {
  let id = timePrefix();
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
