import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, foldWith, type OrganizationId, ok } from '#platform/kernel';
import { type CommandHandler, type Model, record, systemCause } from '#ports/event-store';
import type { FileRef } from '../events.ts';
import { linkStream } from '../streams.ts';
import { evolveLinkKey, initialLinkKey, LINK_EVENTS, type LinkKey } from './events.ts';

const LINK_KEY: Model<LinkKey> = {
  name: 'link-key',
  version: 1,
  initialState: initialLinkKey,
  evolve: foldWith(LINK_EVENTS, evolveLinkKey),
};

const VALID_MS = 15 * 60_000;
const KEY_BYTES = 32;
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

/**
 * Links to files that need no API key: the signature in the token is the credential. The key of an organization is created
 * with its first link and is an event of the log, so that the tokens of each process are valid in all others.
 */
export class FileLinks {
  readonly #handler: CommandHandler;
  readonly #clock: Clock;
  readonly #isOpen: (organization: OrganizationId) => boolean;

  /** @param isOpen whether files of an organization may be read at present */
  constructor(handler: CommandHandler, clock: Clock, isOpen: (organization: OrganizationId) => boolean = () => true) {
    this.#handler = handler;
    this.#clock = clock;
    this.#isOpen = isOpen;
  }

  /** Returns a token that is valid for 15 minutes: letters, digits, `.`, `_` and `-`. */
  async tokenFor({ organization, id }: DocumentId, file: FileRef): Promise<string> {
    const key = await this.#keyOf(organization);
    const expires = (this.#clock.now() + VALID_MS).toString(36);
    const named = [organization, id, expires, signature(key, 'file', file.blob)].join('.');
    return `${named}.${signature(key, 'link', named)}`;
  }

  /** Returns null for a token that is malformed, altered or expired, or of an organization that is not open. */
  async read(token: string): Promise<FileLink | null> {
    const [, organization, id, expires, mark, signed] = TOKEN.exec(token) ?? [];
    if (organization === undefined || id === undefined || expires === undefined || !mark || !signed) return null;
    if (!this.#isOpen(organization as OrganizationId)) return null;
    const { state } = await this.#handler.load(linkStream(organization), LINK_KEY);
    const { key } = state;
    if (key === null) return null;
    if (!isSame(signed, signature(key, 'link', token.slice(0, -signed.length - 1)))) return null;
    if (Number.parseInt(expires, 36) <= this.#clock.now()) return null;
    return { organization, id, serves: ({ blob }) => isSame(mark, signature(key, 'file', blob)) };
  }

  async #keyOf(organization: string): Promise<string> {
    const created = randomBytes(KEY_BYTES).toString('hex');
    const changed = await this.#handler.execute<LinkKey, never>({
      stream: linkStream(organization),
      model: LINK_KEY,
      decide: ({ key }, _revision, now) => {
        if (key !== null) return ok([]);
        const events = [{ type: 'LinkKeyCreated', payload: { key: created } } as const];
        return ok(record(LINK_EVENTS, events, { organization, cause: systemCause(), tags: [], now }));
      },
    });
    if (!changed.ok || changed.value.state.key === null) throw new Error('the key of file links is not there');
    return changed.value.state.key;
  }
}

const signature = (key: string, purpose: 'file' | 'link', text: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`${purpose}:${text}`).digest('base64url');

/** In constant time. */
const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
