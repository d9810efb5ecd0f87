import { hkdfSync } from 'node:crypto';
import { openBytes, sealBytes } from './sealed-bytes.ts';

/** Seals texts with a key that follows from a secret, so that processes with the same secret open them. */
export class TextSeal {
  readonly #key: Uint8Array;

  /** @param purpose what is sealed, so that a secret for two purposes makes two keys */
  constructor(secret: string, purpose: string) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
  }

  seal(text: string): string {
    return Buffer.from(sealBytes(Buffer.from(text), this.#key)).toString('base64url');
  }

  /** Null: it was not sealed with this key, or was changed. */
  open(sealed: string): string | null {
    try {
      return openBytes(Buffer.from(sealed, 'base64url'), this.#key).toString('utf8');
    } catch {
      return null;
    }
  }
}
