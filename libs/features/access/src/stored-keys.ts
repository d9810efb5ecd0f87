import { type Clock, systemClock } from '#platform/kernel';
import type { EventStore, Position } from '#ports/event-store';
import { IssuedKeys } from './api-keys.ts';
import { readKeyEvents } from './key-log.ts';
import { type Members, NO_MEMBERS } from './members.ts';
import type { ApiKeys } from './port.ts';

/** The log is read at most once in this time. */
const FRESH_MS = 1_000;

/** The keys in the event log, for a process that needs them rarely. What happens to a key counts within a second. */
export class StoredKeys {
  readonly #store: Pick<EventStore, 'readAll'>;
  readonly #clock: Clock;
  readonly #keys: IssuedKeys;
  #position: Position | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<ApiKeys> | null = null;

  constructor(store: Pick<EventStore, 'readAll'>, clock: Clock = systemClock, members: Members = NO_MEMBERS) {
    this.#store = store;
    this.#clock = clock;
    this.#keys = new IssuedKeys([], clock, members);
  }

  /** Rejects if the log cannot be read. */
  read(): Promise<ApiKeys> {
    const now = this.#clock.now();
    if (this.#reading === null || now - this.#readAt >= FRESH_MS) {
      this.#readAt = now;
      this.#reading = this.#readNew();
    }
    return this.#reading;
  }

  async #readNew(): Promise<ApiKeys> {
    this.#position = await readKeyEvents(this.#store, this.#keys, this.#position);
    return this.#keys;
  }
}
