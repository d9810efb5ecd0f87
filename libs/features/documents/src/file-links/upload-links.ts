import { randomUUID } from 'node:crypto';
import type { Clock, Principal } from '#platform/kernel';
import type { CommandHandler } from '#ports/event-store';
import { isSame, LinkKeys, signature } from './link-keys.ts';

const VALID_MS = 2 * 60_000;
const TOKEN = /^([A-Za-z0-9]{1,40})\.([A-Za-z0-9]{1,40})\.([\w-]{1,1400})\.([0-9a-z]{1,10})\.([\w-]{43})$/;

/** What a valid token permits: to add one file, with a tag, in the name of a key. */
export interface UploadLink {
  readonly organization: string;
  readonly keyId: string;
  readonly tag: string;
}

/** Addresses for the upload of one file without an API key: the signature in the token is the credential. */
export class UploadLinks {
  readonly #keys: LinkKeys;
  readonly #clock: Clock;

  constructor(handler: CommandHandler, clock: Clock) {
    this.#keys = new LinkKeys(handler);
    this.#clock = clock;
  }

  /** Returns an id for the address and its token, which is valid for two minutes. `expiresAt`: milliseconds since the epoch. */
  async prepare(
    { organization, keyId }: Principal,
    tag: string,
  ): Promise<{ readonly id: string; readonly token: string; readonly expiresAt: number }> {
    const id = randomUUID();
    const expiresAt = this.#clock.now() + VALID_MS;
    const named = [organization, keyId, Buffer.from(tag).toString('base64url'), expiresAt.toString(36)].join('.');
    const key = await this.#keys.of(organization);
    return { id, token: `${named}.${signature(key, 'upload', `${id}.${named}`)}`, expiresAt };
  }

  /** Returns null for a token that is malformed, altered or expired, or of another address. */
  async read(id: string, token: string): Promise<UploadLink | null> {
    const [, organization, keyId, tag, expires, signed] = TOKEN.exec(token) ?? [];
    if (!organization || !keyId || !tag || !expires || !signed) return null;
    const key = await this.#keys.known(organization);
    const named = token.slice(0, -signed.length - 1);
    if (key === null || !isSame(signed, signature(key, 'upload', `${id}.${named}`))) return null;
    if (Number.parseInt(expires, 36) <= this.#clock.now()) return null;
    return { organization, keyId, tag: Buffer.from(tag, 'base64url').toString('utf8') };
  }
}
