import { type Clock, foldWith, type OrganizationId, systemClock } from '#platform/kernel';
import { type EventStore, type Position, readPages } from '#ports/event-store';
import { createApiKeys, type KeyRecord } from './api-keys.ts';
import { evolveKey, initialKey, KEY_EVENTS, type KeyState } from './key.ts';
import type { ApiKeys } from './port.ts';

export const foldKey = foldWith(KEY_EVENTS, evolveKey);

const PAGE = 1_000;
/** The log is read at most once in this time. */
const FRESH_MS = 1_000;

/** The keys in the event log, for a process that needs them rarely. Issued and revoked keys count within a second. */
export class StoredKeys {
  readonly #store: Pick<EventStore, 'readAll'>;
  readonly #clock: Clock;
  readonly #states = new Map<string, KeyState>();
  #position: Position | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  #keys: Promise<ApiKeys> | null = null;

  constructor(store: Pick<EventStore, 'readAll'>, clock: Clock = systemClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Rejects if the log cannot be read. */
  read(): Promise<ApiKeys> {
    const now = this.#clock.now();
    if (this.#keys === null || now - this.#readAt >= FRESH_MS) {
      this.#readAt = now;
      this.#keys = this.#readNew();
    }
    return this.#keys;
  }

  async #readNew(): Promise<ApiKeys> {
    const range = { after: this.#position, limit: PAGE, filter: { categories: ['key'] } };
    for await (const { events, position } of readPages(this.#store, range)) {
      for (const event of events) {
        this.#states.set(event.stream, foldKey(this.#states.get(event.stream) ?? initialKey, event));
      }
      this.#position = position;
    }
    return createApiKeys(
      [...this.#states.values()].flatMap((state) => (state.status === 'issued' ? [keyRecord(state)] : [])),
      this.#clock,
    );
  }
}

export function keyRecord({ id, organization, role, hash }: KeyState & { status: 'issued' }): KeyRecord {
  return { id, organization: organization as OrganizationId, role, hash, revokedAt: null, expiresAt: null };
}
