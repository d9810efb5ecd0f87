import { type EventStore, type Position, readPages } from '#event-store';
import { type Clock, foldWith, type OrganizationId, systemClock } from '#kernel';
import { evolveKey, initialKey, KEY_EVENTS, type KeyState } from './key.ts';
import { createKeyRing, type KeyRecord } from './key-ring.ts';
import type { KeyRing } from './port.ts';

export const foldKey = foldWith(KEY_EVENTS, evolveKey);

const PAGE = 1_000;
/** Requests with unknown keys cause one read of the log in this time at the most. */
const FRESH_MS = 1_000;

/** The keys in the event log, for a process that asks for them rarely. Issued and revoked keys count within a second. */
export class StoredKeys {
  readonly #store: Pick<EventStore, 'readAll'>;
  readonly #clock: Clock;
  readonly #states = new Map<string, KeyState>();
  #position: Position | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  #ring: Promise<KeyRing> | null = null;

  constructor(store: Pick<EventStore, 'readAll'>, clock: Clock = systemClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Rejects if the log cannot be read. */
  read(): Promise<KeyRing> {
    const now = this.#clock.now();
    if (this.#ring === null || now - this.#readAt >= FRESH_MS) {
      this.#readAt = now;
      this.#ring = this.#readOn();
    }
    return this.#ring;
  }

  async #readOn(): Promise<KeyRing> {
    const wanted = { after: this.#position, limit: PAGE, filter: { categories: ['key'] } };
    for await (const { events, position } of readPages(this.#store, wanted)) {
      for (const event of events) {
        this.#states.set(event.stream, foldKey(this.#states.get(event.stream) ?? initialKey, event));
      }
      this.#position = position;
    }
    return createKeyRing(
      [...this.#states.values()].flatMap((state) => (state.status === 'issued' ? [keyRecord(state)] : [])),
      this.#clock,
    );
  }
}

export function keyRecord({ id, organization, role, hash }: KeyState & { status: 'issued' }): KeyRecord {
  return { id, organization: organization as OrganizationId, role, hash, revokedAt: null, expiresAt: null };
}
