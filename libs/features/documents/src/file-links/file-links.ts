import type { Clock, OrganizationId } from '#platform/kernel';
import type { CommandHandler } from '#ports/event-store';
import type { FileRef } from '../events.ts';
import { isSame, LinkKeys, signature } from './link-keys.ts';

const VALID_MS = 15 * 60_000;
const TOKEN = /^([A-Za-z0-9]{1,40})\.([A-Za-z0-9]{22})\.([0-9a-z]{1,10})\.([\w-]{43})\.([\w-]{43})$/;

interface DocumentId {
  readonly organization: string;
  readonly id: string;
}

/** What a valid token names. */
export interface FileLink extends DocumentId {
  /** Whether the link was made for this file of the document. */
  serves(file: FileRef): boolean;
}

/** Links to files that need no API key: the signature in the token is the credential. */
export class FileLinks {
  readonly #keys: LinkKeys;
  readonly #clock: Clock;
  readonly #isOpen: (organization: OrganizationId) => boolean;

  /** @param isOpen whether files of an organization may be read at present */
  constructor(handler: CommandHandler, clock: Clock, isOpen: (organization: OrganizationId) => boolean = () => true) {
    this.#keys = new LinkKeys(handler);
    this.#clock = clock;
    this.#isOpen = isOpen;
  }

  /** Returns a token that is valid for 15 minutes: letters, digits, `.`, `_` and `-`. */
  async tokenFor({ organization, id }: DocumentId, file: FileRef): Promise<string> {
    const key = await this.#keys.of(organization);
    const expires = (this.#clock.now() + VALID_MS).toString(36);
    const named = [organization, id, expires, signature(key, 'file', file.blob)].join('.');
    return `${named}.${signature(key, 'link', named)}`;
  }

  /** Returns null for a token that is malformed, altered or expired, or of an organization that is not open. */
  async read(token: string): Promise<FileLink | null> {
    const [, organization, id, expires, mark, signed] = TOKEN.exec(token) ?? [];
    if (organization === undefined || id === undefined || expires === undefined || !mark || !signed) return null;
    if (!this.#isOpen(organization as OrganizationId)) return null;
    const key = await this.#keys.known(organization);
    if (key === null) return null;
    if (!isSame(signed, signature(key, 'link', token.slice(0, -signed.length - 1)))) return null;
    if (Number.parseInt(expires, 36) <= this.#clock.now()) return null;
    return { organization, id, serves: ({ blob }) => isSame(mark, signature(key, 'file', blob)) };
  }
}
