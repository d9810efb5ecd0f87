import { type MasterKeys, SealBrokenError } from './master-keys.ts';
import { openBytes, SEAL_BYTES, sealBytes } from './sealed-bytes.ts';

const PURPOSE = 'secrets';
const VERSION = 1;
const ID_BYTES = 4;
const HEADER_BYTES = 1 + ID_BYTES;
/** Values fill multiples of it, so that their length says little, and a new value mostly takes the place of the old one. */
const PADDED_TO = 256;
const END = 0x80;

/**
 * Seals a text under AES-256-GCM with the newest key: version (1 byte), id of the key (4), nonce (12), tag (16), text with
 * the byte 0x80 and zeros up to a multiple of 256.
 * @param context where the value belongs; it opens nowhere else
 * @throws MasterKeyMissingError
 */
export async function sealValue(keys: MasterKeys, text: string, context: string): Promise<Uint8Array> {
  const key = await keys.newest();
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil((bytes.length + 1) / PADDED_TO) * PADDED_TO);
  bytes.copy(padded);
  padded[bytes.length] = END;
  const sealed = sealBytes(padded, key.derive(PURPOSE), context);
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(key.id, 'hex'), sealed]);
}

/** @throws OtherMasterKeyError; SealBrokenError if the bytes are not what was sealed for this context; MasterKeyMissingError */
export async function openValue(keys: MasterKeys, sealed: Uint8Array, context: string): Promise<string> {
  const key = await keys.named(keyIdOf(sealed));
  try {
    const padded = openBytes(sealed.subarray(HEADER_BYTES), key.derive(PURPOSE), context);
    return padded.toString('utf8', 0, padded.lastIndexOf(END));
  } catch (error) {
    throw new SealBrokenError('The sealed value is altered, or of another place.', { cause: error });
  }
}

/** Returns the id of the key that a value is sealed with. @throws SealBrokenError */
export function keyIdOf(sealed: Uint8Array): string {
  if (sealed[0] !== VERSION || sealed.length <= HEADER_BYTES + SEAL_BYTES)
    throw new SealBrokenError('It is no sealed value.');
  return Buffer.from(sealed.subarray(1, HEADER_BYTES)).toString('hex');
}
