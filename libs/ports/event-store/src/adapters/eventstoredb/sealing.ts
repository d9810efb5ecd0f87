import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto';

/**
 * The data of an event is empty, or the mark of the event that erased its stream, or a sealed payload: one byte SEALED,
 * 16 bytes key id, 12 bytes nonce, 16 bytes tag, then the text under AES-256-GCM.
 */
const SEALED = 1;
const ERASES = 2;
const KEY_ID_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = 1 + KEY_ID_BYTES;
/** The first bytes of the data, which the id of the key is among. */
export const KEY_ID_WITHIN = NONCE_AT;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const TEXT_AT = TAG_AT + TAG_BYTES;
const KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
/** Random bytes that are generated at once, because a call for them costs as much as sealing a short text. */
const RANDOM_BYTES = 4096;

export const NO_PAYLOAD = new Uint8Array();
export const ERASES_ITS_STREAM = Uint8Array.of(ERASES);

export interface SealingKey {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly secret: Uint8Array;
}

export function newSealingKey(): SealingKey {
  const bytes = randomView(KEY_ID_BYTES + KEY_BYTES);
  const key = { id: bytes.toString('hex', 0, KEY_ID_BYTES), secret: new Uint8Array(bytes.subarray(KEY_ID_BYTES)) };
  // A key must be in no memory but its own.
  bytes.fill(0);
  return key;
}

/** Seals a text for one event of one stream: as data of another event or stream it cannot be unsealed. */
export function seal(text: string, key: SealingKey, stream: string, eventId: string): Uint8Array {
  const nonce = randomView(NONCE_BYTES);
  // A cipher is created four times faster with an object of the key than with its bytes.
  const cipher = createCipheriv(CIPHER, createSecretKey(key.secret), nonce).setAAD(boundTo(stream, eventId));
  const sealed = cipher.update(text, 'utf8');
  const last = cipher.final();
  return Buffer.concat([Uint8Array.of(SEALED), Buffer.from(key.id, 'hex'), nonce, cipher.getAuthTag(), sealed, last]);
}

/** Returns null if the data is not a sealed payload. */
export function keyIdOf(data: Uint8Array): string | null {
  return data[0] === SEALED ? Buffer.from(data.subarray(1, NONCE_AT)).toString('hex') : null;
}

/** @throws Error if data, key and event do not belong together */
export function unseal(data: Uint8Array, secret: Uint8Array, stream: string, eventId: string): string {
  const decipher = createDecipheriv(CIPHER, createSecretKey(secret), data.subarray(NONCE_AT, TAG_AT));
  decipher.setAAD(boundTo(stream, eventId)).setAuthTag(data.subarray(TAG_AT, TEXT_AT));
  return decipher.update(data.subarray(TEXT_AT), undefined, 'utf8') + decipher.final('utf8');
}

export function erasesItsStream(data: Uint8Array): boolean {
  return data[0] === ERASES;
}

const random = Buffer.alloc(RANDOM_BYTES);
let used = RANDOM_BYTES;

/** Returns random bytes that are overwritten later. */
function randomView(length: number): Buffer {
  if (used + length > RANDOM_BYTES) {
    randomFillSync(random);
    used = 0;
  }
  used += length;
  return random.subarray(used - length, used);
}

function boundTo(stream: string, eventId: string): Uint8Array {
  return Buffer.from(JSON.stringify([stream, eventId]));
}
