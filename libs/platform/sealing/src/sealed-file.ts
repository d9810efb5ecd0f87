import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { MasterKey } from './master-key.ts';
import { SealBrokenError } from './master-keys.ts';
import { pieces } from './pieces.ts';

const CIPHER = 'aes-256-gcm';
const MAGIC = Buffer.from('mneme-sealed-1\n');
const ID_BYTES = 4;
const SALT_BYTES = 16;
const HEADER_BYTES = MAGIC.length + ID_BYTES + SALT_BYTES;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** Of the plain text in one chunk. */
const CHUNK_BYTES = 262_144;
const LAST = 1;

/**
 * Seals a file as a stream: `mneme-sealed-1` and a line feed, id of the key (4 bytes), salt (16), then chunks of 262,144 bytes
 * under AES-256-GCM, each with its tag (16) behind it. The key of the file is derived from master key, salt and name. The
 * nonce is the number of the chunk (11 bytes) and whether it is the last one (1), so that none can be left out.
 * @param name of the file; it opens under no other
 */
export async function* sealFile(
  file: AsyncIterable<Uint8Array>,
  key: MasterKey,
  name: string,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(SALT_BYTES);
  yield Buffer.concat([MAGIC, Buffer.from(key.id, 'hex'), salt]);
  const secret = createSecretKey(key.derive(purposeOf(name), salt));
  let number = 0;
  for await (const { bytes, isLast } of pieces(file, CHUNK_BYTES)) {
    const cipher = createCipheriv(CIPHER, secret, nonceOf(number, isLast));
    const sealed = cipher.update(bytes);
    cipher.final();
    // Together, because each piece is written by itself.
    yield Buffer.concat([sealed, cipher.getAuthTag()]);
    number += 1;
  }
}

/**
 * Yields the plain text of a sealed file. Only after its end is it known that the file is complete.
 * @throws SealBrokenError if a chunk is altered, missing, or of another file, or another key has sealed it
 */
export async function* openFile(
  file: AsyncIterable<Uint8Array>,
  key: MasterKey,
  name: string,
): AsyncGenerator<Uint8Array> {
  let secret: KeyObject | null = null;
  let number = 0;
  for await (const { bytes, isLast } of pieces(file, CHUNK_BYTES + TAG_BYTES, HEADER_BYTES)) {
    if (secret === null) {
      const { id, salt } = headerOf(bytes);
      if (id !== key.id) throw new SealBrokenError(BROKEN);
      secret = createSecretKey(key.derive(purposeOf(name), salt));
      if (isLast) throw new SealBrokenError(BROKEN);
      continue;
    }
    if (bytes.length < TAG_BYTES) throw new SealBrokenError(BROKEN);
    yield opened(bytes, secret, nonceOf(number, isLast));
    number += 1;
  }
}

/** Returns the id of the key that a file is sealed with. @throws SealBrokenError if it is no sealed file */
export async function keyIdOfFile(file: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const { bytes } of pieces(file, HEADER_BYTES)) return headerOf(bytes).id;
  throw new SealBrokenError(BROKEN);
}

/** Returns a name for a file that tells nothing about its own, and is the same with the same key. */
export const hiddenName = (key: MasterKey, name: string): string =>
  createHmac('sha256', key.derive('file names')).update(name).digest('hex');

const BROKEN = 'The sealed file is altered, or incomplete.';

const purposeOf = (name: string): string => `file ${name}`;

function headerOf(header: Uint8Array): { readonly id: string; readonly salt: Uint8Array } {
  const bytes = Buffer.from(header);
  if (bytes.length !== HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new SealBrokenError('It is no sealed file.');
  }
  const saltAt = MAGIC.length + ID_BYTES;
  return { id: bytes.toString('hex', MAGIC.length, saltAt), salt: bytes.subarray(saltAt) };
}

function opened(bytes: Uint8Array, secret: KeyObject, nonce: Uint8Array): Uint8Array {
  const decipher = createDecipheriv(CIPHER, secret, nonce);
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const plain = decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES));
  try {
    decipher.final();
  } catch (error) {
    throw new SealBrokenError(BROKEN, { cause: error });
  }
  return plain;
}

function nonceOf(number: number, isLast: boolean): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(number, NONCE_BYTES - 7, 6);
  if (isLast) nonce[NONCE_BYTES - 1] = LAST;
  return nonce;
}
