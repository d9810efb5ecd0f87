import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { foldWith, ok } from '#platform/kernel';
import { type CommandHandler, type Model, record, systemCause } from '#ports/event-store';
import { linkStream } from '../streams.ts';
import { evolveLinkKey, initialLinkKey, LINK_EVENTS, type LinkKey } from './events.ts';

const LINK_KEY: Model<LinkKey> = {
  name: 'link-key',
  version: 1,
  initialState: initialLinkKey,
  evolve: foldWith(LINK_EVENTS, evolveLinkKey),
};

const KEY_BYTES = 32;

/**
 * The keys that sign links, one of each organization. It is created with the first link and is an event of the log, so that
 * what one process signs is valid in all others.
 */
export class LinkKeys {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  /** Returns null if the organization has none. */
  async known(organization: string): Promise<string | null> {
    const { state } = await this.#handler.load(linkStream(organization), LINK_KEY);
    return state.key;
  }

  async of(organization: string): Promise<string> {
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
    if (!changed.ok || changed.value.state.key === null) throw new Error('the key of links is not there');
    return changed.value.state.key;
  }
}

/** Returns the signature of a text for one purpose: 43 characters of base64url. */
export const signature = (key: string, purpose: 'file' | 'link' | 'upload', text: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`${purpose}:${text}`).digest('base64url');

/** In constant time. */
export const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
