import { hash, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const ID_CHARACTERS = 8;
const HEXADECIMAL = /^[0-9a-f]{64}$/i;
/** Of 32 bytes, in either alphabet. */
const BASE64 = /^[\w+/-]{43}=?$/;

/** A key from which the keys of all purposes are derived. Its bytes appear in no text of it. */
export class MasterKey {
  /** Names the key and says nothing about it: 8 hexadecimal digits. */
  readonly id: string;
  readonly #bytes: Uint8Array;

  static generate(): MasterKey {
    return new MasterKey(randomBytes(KEY_BYTES));
  }

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.id = hash('sha256', this.derive('id')).slice(0, ID_CHARACTERS);
  }

  /** Returns 32 bytes that belong to this purpose alone. @param salt of one use */
  derive(purpose: string, salt: Uint8Array = new Uint8Array()): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#bytes, salt, `mneme ${purpose}`, KEY_BYTES));
  }

  /** Returns the key as it is written in a file or a setting. */
  reveal(): string {
    return Buffer.from(this.#bytes).toString('base64');
  }
}

/**
 * Reads keys of 32 bytes in base64 or hexadecimal, the newest first, separated by commas or white space.
 * @throws Error whose message follows the name of a setting and does not quote the text
 */
export function parseMasterKeys(text: string): readonly [MasterKey, ...MasterKey[]] {
  const [newest, ...others] = text.split(/[\s,]+/).filter((word) => word !== '');
  if (newest === undefined) throw new Error(FORM);
  return [parsed(newest), ...others.map(parsed)];
}

const FORM =
  'must be 32 random bytes in base64 (44 characters) or hexadecimal (64), as of: openssl rand -base64 32; several are separated by commas, the newest first';

function parsed(word: string): MasterKey {
  if (HEXADECIMAL.test(word)) return new MasterKey(Buffer.from(word, 'hex'));
  const bytes = BASE64.test(word) ? Buffer.from(word, 'base64') : null;
  if (bytes?.length !== KEY_BYTES) throw new Error(FORM);
  return new MasterKey(bytes);
}
