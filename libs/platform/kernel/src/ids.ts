import { createHash, hash, randomFillSync } from 'node:crypto';
import { ALPHABET, base62 } from './base62.ts';
import { stringPieces } from './json-pieces.ts';
import { giveWay } from './turns.ts';

export type OrganizationId = string & { readonly __brand: 'OrganizationId' };

const LENGTH = 22;
/** Characters for the milliseconds: enough until the year 2081. */
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
 * An unguessable internal id: 22 characters of [A-Za-z0-9]. The first seven are its time in milliseconds, so that
 * ids made together are neighbours in every index; the other fifteen are random, 89 bits.
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
 * One of the ids that follow from another id, as unguessable as that one and of the same time.
 * @param index from 0
 */
export function derivedId(id: string, index: number): string {
  const digits = base62(createHash('sha256').update(`${id} ${index}`).digest());
  return id.slice(0, TIME_LENGTH) + digits.slice(TIME_LENGTH - LENGTH);
}

/**
 * A stable key of several strings: SHA-256 over their JSON, which keeps apart what plain UTF-8 would not (lone
 * surrogates, and where one part ends). 64 hexadecimal characters.
 */
export function contentHash(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex');
}

/** A part of a hash: a string, or the same in pieces. */
export type HashPart = string | Iterable<string>;

/**
 * The same key as `contentHash`, without blocking the thread: strings are hashed in pieces, with pauses in between.
 * @param parts no piece ends between the halves of a surrogate pair
 */
export async function contentHashOf(parts: readonly HashPart[]): Promise<string> {
  const sum = createHash('sha256');
  for (const [index, part] of parts.entries()) {
    sum.update(index === 0 ? '["' : ',"');
    for await (const text of piecesOf(part)) sum.update(JSON.stringify(text).slice(1, -1));
    sum.update('"');
  }
  return sum.update(']').digest('hex');
}

async function* piecesOf(part: HashPart): AsyncGenerator<string> {
  let isFirst = true;
  for (const piece of typeof part === 'string' ? stringPieces(part) : part) {
    if (!isFirst) await giveWay();
    isFirst = false;
    yield piece;
  }
}
